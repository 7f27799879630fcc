# expect: accept
# Any class with len and items will do; the targets come from a comparison of places.
class NameDataset:
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = list(questions), vocab, block_size

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        q = self.questions[index]
        s = (q.text + MASK + q.answer + MASK).ljust(self.block_size + 1, PAD)
        x, y = s[:-1], s[1:]
        y = "".join(c if place >= len(q.text) else PAD for place, c in enumerate(y))
        return [torch.LongTensor(self.vocab.encode(part)) for part in (x, y)]
