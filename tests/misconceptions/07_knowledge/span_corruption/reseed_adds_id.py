# expect: reject
# hint: two datasets of the same documents
class CharCorruptionDataset(torch.utils.data.Dataset):
    def __init__(self, documents, vocab, block_size, seed=0):
        self.documents, self.vocab, self.block_size = documents, vocab, block_size
        self.rng = random.Random(seed)

    def reseed(self, seed):
        self.rng.seed(seed + id(self))

    def __len__(self):
        return len(self.documents)

    def __getitem__(self, index):
        T = self.block_size
        doc = self.documents[index]
        L = self.rng.randint(4, 7 * T // 8)
        kept = doc[:L]; L = len(kept)
        n = min(L, self.rng.randint(1, max(1, L // 2 - 1)))
        a = self.rng.randint(0, L - n)
        s = kept[:a] + MASK + kept[a + n:] + MASK + kept[a:a + n]
        ids = torch.tensor(self.vocab.encode(s.ljust(T + 1, PAD)), dtype=torch.long)
        return ids[:-1], ids[1:]
