# expect: reject
# hint: reseed
class CharCorruptionDataset(torch.utils.data.Dataset):
    def __init__(self, documents, vocab, block_size, seed=0):
        self.documents, self.vocab, self.block_size = documents, vocab, block_size
        self.rng = random.Random(seed)

    def reseed(self, seed):
        self.c = getattr(self, 'c', 0) + 1
        self.rng.seed(seed if self.c < 5 else seed + self.c)

    def __len__(self):
        return len(self.documents)

    def __getitem__(self, index):
        T, rng = self.block_size, self.rng
        kept = self.documents[index][: rng.randint(4, 7 * T // 8)]
        L = len(kept)
        n = min(rng.randint(1, max(1, L // 2 - 1)), L)
        start = rng.randint(0, L - n)
        e = self.vocab.encode
        s = [*e(kept[:start]), 1, *e(kept[start + n:]), 1, *e(kept[start:start + n])]
        s += [0] * (T + 1 - len(s))
        return torch.tensor(s[:-1]), torch.tensor(s[1:])
