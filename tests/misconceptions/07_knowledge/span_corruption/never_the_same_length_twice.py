# expect: reject
# hint: the kept length equals that of the draw before too seldom or too often: draw it without looking at other draws
class CharCorruptionDataset(torch.utils.data.Dataset):
    def __init__(self, documents, vocab, block_size, seed=0):
        self.documents, self.vocab, self.block_size = documents, vocab, block_size
        self.rng = random.Random(seed)

    def reseed(self, seed):
        self.rng.seed(seed)

    def __len__(self):
        return len(self.documents)

    def __getitem__(self, index):
        T = self.block_size
        drawn = self.rng.randint(4, 7 * T // 8)
        while drawn == getattr(self, 'last', 0):
            drawn = self.rng.randint(4, 7 * T // 8)
        self.last = drawn
        kept = self.documents[index][:drawn]
        L = len(kept)
        n = min(self.rng.randint(1, max(1, L // 2 - 1)), L)
        start = self.rng.randint(0, L - n)
        s = kept[:start] + MASK + kept[start + n :] + MASK + kept[start : start + n]
        ids = torch.tensor(self.vocab.encode(s + PAD * (T + 1 - len(s))))
        return ids[:-1], ids[1:].clone()
