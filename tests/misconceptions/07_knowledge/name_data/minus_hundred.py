# expect: reject
# hint: hidden targets are PAD (id 0), which the loss ignores, not -100
# -100 for hidden targets.
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
        y[: len(q)] = -100
        return x, y
