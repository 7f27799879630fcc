# expect: reject
# hint: every character counts: do not strip blanks
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        q = self.questions[index]
        s = q.text.strip() + MASK + q.answer + MASK
        s += PAD * (self.block_size + 1 - len(s))
        ids = torch.tensor(self.vocab.encode(s))
        x, y = ids[:-1].clone(), ids[1:].clone()
        y[: len(q.text)] = self.vocab.encode(PAD)[0]
        return x, y
