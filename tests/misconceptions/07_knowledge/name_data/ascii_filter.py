# expect: reject
# hint: Letters outside ASCII are dropped from the question: every character counts, so encode the text as it is.
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        q = self.questions[index]
        v = self.vocab
        ids = v.encode("".join(c for c in q.text if ord(c) < 128) + MASK + q.answer + MASK)
        ids = torch.tensor(ids + [v.pad_id] * (self.block_size + 1 - len(ids)))
        y = ids[1:].clone()
        y[: len(q.text)] = v.pad_id
        return ids[:-1], y
