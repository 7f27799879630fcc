# expect: accept
# All items are made when the dataset is.
def padded(ids, length):
    return torch.nn.functional.pad(torch.tensor(ids), (0, length - len(ids)))


class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.made = [self.make(vocab.encode(q.text), vocab.encode(q.answer), block_size) for q in questions]

    @staticmethod
    def make(question, answer, block_size):
        x = [*question, 1, *answer, 1][:block_size]
        y = [0] * len(question) + answer + [1]
        return padded(x, block_size), padded(y, block_size)

    def __len__(self):
        return len(self.made)

    def __getitem__(self, index):
        return self.made[index]
