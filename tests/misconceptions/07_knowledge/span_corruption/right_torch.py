# expect: accept
# Tensors and torch's generator.
class CharCorruptionDataset(torch.utils.data.Dataset):
    def __init__(self, documents, vocab, block_size, seed=0):
        self.documents, self.vocab, self.block_size = documents, vocab, block_size
        self.rng = torch.Generator().manual_seed(seed)

    def reseed(self, seed):
        self.rng.manual_seed(seed)

    def __len__(self):
        return len(self.documents)

    def __getitem__(self, index):
        def below(n):
            return int(torch.randint(n, (1,), generator=self.rng))

        ids = torch.tensor(self.vocab.encode(self.documents[index]), dtype=torch.long)
        ids = ids[: 4 + below(7 * self.block_size // 8 - 3)]
        L = len(ids)
        n = min(L, 1 + below(max(1, L // 2 - 1)))
        start = below(L - n + 1)
        mask = torch.ones(1, dtype=torch.long)
        s = torch.zeros(self.block_size + 1, dtype=torch.long)
        s[: L + 2] = torch.cat([ids[:start], mask, ids[start + n :], mask, ids[start : start + n]])
        return s[:-1].clone(), s[1:].clone()
