# expect: reject
# hint: one tensor serves all items: the x of an earlier one changes with the next, so make a new tensor in each call
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = questions, vocab, block_size
        self.row = torch.zeros(block_size + 1, dtype=torch.long)

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        item = self.questions[index]
        q, a = self.vocab.encode(item.text), self.vocab.encode(item.answer)
        row = torch.tensor([*q, 1, *a, 1])
        self.row.zero_()
        self.row[: len(row)] = row
        y = self.row[1:].clone()
        y[: len(q)] = 0
        return self.row[:-1], y
