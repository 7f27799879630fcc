# expect: reject
# hint: Each call must make new tensors: whoever changes a kept item changes the next one.
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        if not hasattr(self, "m"): self.m = {}
        if index in self.m: return self.m[index]
        q = self.questions[index]
        s = (q.text + MASK + q.answer + MASK).ljust(self.block_size + 1, PAD)
        ids = torch.tensor(self.vocab.encode(s))
        x, y = ids[:-1], ids[1:].clone()
        y[: len(q.text)] = self.vocab.pad_id
        self.m[index] = x, y
        return x, y
