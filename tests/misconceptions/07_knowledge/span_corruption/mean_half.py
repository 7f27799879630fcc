# expect: reject
# hint: the content is longer than a quarter of the kept length on average
# Any length is a half on average.
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
        kept = text[: self.rng.randint(4, 7 * self.block_size // 8)]
        n = min(len(kept), self.rng.randint(1, max(1, len(kept) - 1)))
        start = self.rng.randint(0, len(kept) - n)
        prefix, content, suffix = kept[:start], kept[start : start + n], kept[start + n :]
        s = prefix + MASK + suffix + MASK + content
        s += PAD * (self.block_size + 1 - len(s))
        ids = torch.tensor(self.vocab.encode(s), dtype=torch.long)
        return ids[:-1], ids[1:]
