# expect: reject
# hint: a document shorter than the drawn length must be kept as a whole, its last character too
# The kept length drawn up to the length of the document, the content binomial.
class CharCorruptionDataset(torch.utils.data.Dataset):
    def __init__(self, documents, vocab, block_size, seed=0):
        self.documents, self.vocab, self.block_size = documents, vocab, block_size
        self.rng = random.Random(seed)

    def reseed(self, seed):
        self.rng.seed(seed)

    def __len__(self):
        return len(self.documents)

    def __getitem__(self, index):
        text = self.documents[index]
        longest = min(len(text), self.block_size * 7 // 8)
        if longest >= 4:
            text = text[: self.rng.randint(4, longest)]
        n = sum(self.rng.random() < 0.25 for _ in text)
        n = min(max(n, 1), len(text))
        start = int(self.rng.random() * (len(text) - n + 1))
        hidden = text[start : start + n]
        s = (text[:start] + MASK + text[start + n :] + MASK + hidden).ljust(self.block_size + 1, PAD)
        x, y = self.vocab.encode(s[:-1]), self.vocab.encode(s[1:])
        return torch.tensor(x), torch.tensor(y)
