# expect: reject
# hint: x must begin with the question, letter by letter: none dropped (é and Å are letters too), none added
# Letters outside ASCII are dropped in training.
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        q, a = self.questions[index].text.encode("ascii", "ignore").decode(), self.questions[index].answer
        s = q + MASK + a + MASK
        ids = torch.tensor(self.vocab.encode(s + PAD * (self.block_size + 1 - len(s))))
        x, y = ids[:-1], ids[1:].clone()
        y[: len(q)] = 0
        return x, y
