# expect: reject
# hint: len(dataset) is the number of questions
# len gives T.
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self):
        return self.block_size

    def __getitem__(self, index):
        q, a = self.questions[index].text, self.questions[index].answer
        s = q + MASK + a + MASK
        ids = torch.tensor(self.vocab.encode(s + PAD * (self.block_size + 1 - len(s))))
        x, y = ids[:-1], ids[1:].clone()
        y[: len(q)] = 0
        return x, y
