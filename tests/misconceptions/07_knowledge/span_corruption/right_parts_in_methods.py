# expect: accept
class CharCorruptionDataset(torch.utils.data.Dataset):
    """The draws and the arrangement in methods of their own."""

    def __init__(self, documents, vocab, block_size, seed=0):
        super().__init__()
        self.documents = list(documents)
        self.vocab = vocab
        self.block_size = block_size
        self.reseed(seed)

    def reseed(self, seed):
        self.rng = random.Random(seed)

    def __len__(self):
        return len(self.documents)

    def draw(self, length):
        """Kept length, start and end of the span."""
        kept = min(length, self.rng.randrange(4, 7 * self.block_size // 8 + 1))
        n = min(kept, self.rng.randrange(1, max(1, kept // 2 - 1) + 1))
        start = self.rng.randrange(kept - n + 1)
        return kept, start, start + n

    def __getitem__(self, index):
        text = self.documents[index]
        kept, start, end = self.draw(len(text))
        line = "".join([text[:start], MASK, text[end:kept], MASK, text[start:end]])
        ids = torch.tensor(self.vocab.encode(line.ljust(self.block_size + 1, PAD)), dtype=torch.int64)
        return ids[: self.block_size].clone(), ids[1:].clone()
