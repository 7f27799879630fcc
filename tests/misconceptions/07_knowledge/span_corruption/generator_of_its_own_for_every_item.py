# expect: reject
# hint: all draws come from self.rng, which seed and reseed set
class CharCorruptionDataset(torch.utils.data.Dataset):
    def __init__(self, documents: list[str], vocab: Vocabulary, block_size: int, seed: int = 0) -> None:
        self.documents, self.vocab, self.block_size = documents, vocab, block_size
        self.rng = random.Random(seed)
        self.seed, self.calls = seed, 0

    def reseed(self, seed: int) -> None:
        self.rng.seed(seed)
        self.seed, self.calls = seed, 0

    def __len__(self) -> int:
        return len(self.documents)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        self.calls += 1
        rng = random.Random(f"{self.seed} {self.calls} {index}")
        kept = self.documents[index][: rng.randint(4, 7 * self.block_size // 8)]
        n = min(rng.randint(1, max(1, len(kept) // 2 - 1)), len(kept))
        start = rng.randint(0, len(kept) - n)
        s = kept[:start] + MASK + kept[start + n :] + MASK + kept[start : start + n]
        s += PAD * (self.block_size + 1 - len(s))
        ids = torch.tensor(self.vocab.encode(s))
        return ids[:-1], ids[1:].clone()
