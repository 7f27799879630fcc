# expect: reject
# hint: the shortest and the longest kept length come too seldom
class CharCorruptionDataset(torch.utils.data.Dataset):
    def __init__(self, documents, vocab, block_size, seed=0):
        self.documents, self.vocab, self.block_size = documents, vocab, block_size
        self.rng = random.Random(seed)

    def reseed(self, seed):
        self.rng.seed(seed)

    def __len__(self):
        return len(self.documents)

    def __getitem__(self, index):
        kept = self.documents[index][: round(self.rng.uniform(4, 7 * self.block_size // 8))]
        n = min(len(kept), self.rng.randint(1, max(1, len(kept) // 2 - 1)))
        start = self.rng.randint(0, len(kept) - n)
        s = kept[:start] + MASK + kept[start + n :] + MASK + kept[start : start + n]
        ids = torch.tensor(self.vocab.encode(s + PAD * (self.block_size + 1 - len(s))))
        return ids[:-1], ids[1:]
