# expect: reject
# hint: use the vocabulary that is passed in, self.vocab
# The notebook's vocabulary.
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.block_size = questions, block_size
        self.vocab = Vocabulary.from_text("".join(q.text + q.answer for q in questions))

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        q, a = self.questions[index].text, self.questions[index].answer
        s = q + MASK + a + MASK
        ids = torch.tensor(self.vocab.encode(s + PAD * (self.block_size + 1 - len(s))))
        x, y = ids[:-1], ids[1:].clone()
        y[: len(q)] = 0
        return x, y
