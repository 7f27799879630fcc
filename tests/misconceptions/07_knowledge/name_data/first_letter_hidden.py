# expect: reject
# hint: the answer's first letter is hidden behind PAD too: only the targets before it are
# The answer's first letter is no target.
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        q, a = self.questions[index].text, self.questions[index].answer
        s = q + MASK + a + MASK
        ids = torch.tensor(self.vocab.encode(s + PAD * (self.block_size + 1 - len(s))))
        x, y = ids[:-1], ids[1:].clone()
        y[: len(q) + 1] = 0
        return x, y
