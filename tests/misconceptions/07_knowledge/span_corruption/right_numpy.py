# expect: accept
# numpy's generator.
class CharCorruptionDataset(torch.utils.data.Dataset):
    def __init__(self, documents, vocab, block_size, seed=0):
        self.documents, self.vocab, self.block_size = documents, vocab, block_size
        self.rng = np.random.default_rng(seed)

    def reseed(self, seed):
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.documents)

    def __getitem__(self, index):
        text = self.documents[index]
        L = min(len(text), int(self.rng.integers(4, 7 * self.block_size // 8, endpoint=True)))
        n = min(L, int(self.rng.integers(1, max(1, L // 2 - 1), endpoint=True)))
        at = int(self.rng.integers(0, L - n, endpoint=True))
        s = np.zeros(self.block_size + 1, dtype=np.int64)
        s[: L + 2] = self.vocab.encode(text[:at] + MASK + text[at + n : L] + MASK + text[at : at + n])
        return torch.from_numpy(s[:-1].copy()), torch.from_numpy(s[1:].copy())
