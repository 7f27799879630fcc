# expect: accept
# Lists of ids, the targets put together separately.
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        q = self.vocab.encode(self.questions[index].text)
        a = self.vocab.encode(self.questions[index].answer)
        x = q + [1] + a + [1]
        y = [0] * len(q) + a + [1]
        x = (x + [0] * self.block_size)[: self.block_size]
        y = (y + [0] * self.block_size)[: self.block_size]
        return torch.LongTensor(x), torch.LongTensor(y)
