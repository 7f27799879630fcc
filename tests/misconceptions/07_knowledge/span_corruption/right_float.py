# expect: accept
# Ids instead of text, a share instead of a number, explicit places.
class CharCorruptionDataset(torch.utils.data.Dataset):
    def __init__(self, documents, vocab, block_size, seed=0):
        self.documents, self.vocab, self.block_size = documents, vocab, block_size
        self.rng = random.Random(seed)

    def reseed(self, seed):
        self.rng.seed(seed)

    def __len__(self):
        return len(self.documents)

    def __getitem__(self, index):
        ids = self.vocab.encode(self.documents[index])
        longest = int(self.block_size * 7 / 8)
        ids = ids[: self.rng.choice(range(4, longest + 1))]
        share = self.rng.uniform(0.125, 0.375)
        n = min(len(ids), max(1, round(share * len(ids))))
        places = [k for k in range(len(ids)) if k + n <= len(ids)] or [0]
        start = self.rng.choice(places)
        s = [*ids[:start], 1, *ids[start + n :], 1, *ids[start : start + n]]
        while len(s) < self.block_size + 1:
            s.append(0)
        return torch.LongTensor(s[:-1]), torch.LongTensor(s[1:])
