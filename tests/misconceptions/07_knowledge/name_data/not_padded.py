# expect: reject
# hint: x and y must have T entries each: fill s with PAD up to T + 1 before you cut
# As long as the text.
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        q, a = self.questions[index].text, self.questions[index].answer
        ids = torch.tensor(self.vocab.encode(q + MASK + a + MASK))
        y = ids[1:].clone()
        y[: len(q)] = 0
        return ids[:-1], y
