# expect: accept
class CharCorruptionDataset(torch.utils.data.Dataset):
    def __init__(self, documents: list[str], vocab: Vocabulary, block_size: int, seed: int = 0) -> None:
        self.documents, self.vocab, self.block_size = documents, vocab, block_size
        self.rng = random.Random(seed)

    def reseed(self, seed: int) -> None:
        self.rng.seed(seed)

    def __len__(self) -> int:
        return len(self.documents)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        kept = self._kept(self.documents[index])
        ids = self.vocab.encode(kept)
        L = len(ids)
        n = self.rng.choice((L // 8, (3 * L + 7) // 8))
        n = max(1, n) if L >= 4 else min(n, L)
        start = self.rng.randrange(L - n + 1)
        mask, pad = self.vocab.encode(MASK + PAD)
        row = np.full(self.block_size + 1, pad, dtype=np.int64)
        row[: L + 2] = [*ids[:start], mask, *ids[start + n :], mask, *ids[start : start + n]]
        return torch.from_numpy(row[:-1].copy()), torch.from_numpy(row[1:].copy())

    def _kept(self, text):
        return text[: self.rng.randrange(4, 7 * self.block_size // 8 + 1)]
