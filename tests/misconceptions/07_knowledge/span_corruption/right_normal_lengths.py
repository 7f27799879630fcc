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
        T = self.block_size
        kept = self.documents[index][: 4 + int(self.rng.random() * (7 * T // 8 - 3))]
        L = len(kept)
        least = 1 if L >= 1 else 0
        n = max(least, min(L, round(self.rng.normalvariate(L / 4, L / 14))))
        start = int(self.rng.random() * (L - n + 1))
        pieces = [kept[:start], kept[start + n :], kept[start : start + n]]
        s = MASK.join(pieces).ljust(T + 1, PAD)
        x, y = (torch.tensor(self.vocab.encode(part), dtype=torch.int64) for part in (s[:-1], s[1:]))
        return x, y
