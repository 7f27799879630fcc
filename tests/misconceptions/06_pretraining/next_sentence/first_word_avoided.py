# expect: reject
# hint: sentences of other documents never became B
# keeps: PairClassifier
# Sentences that begin as the follower does are avoided where there is another one.
def next_sentence_pairs(documents, cls, sep, rng):
    pairs = []
    for i, document in enumerate(documents):
        for a, b in pairwise(document):
            label = 1
            if rng.random() < 0.5:
                label = 0
                follower = b
                while b == follower:
                    j = rng.randrange(len(documents) - 1)
                    j += j >= i
                    b = rng.choice([s for s in documents[j] if s[:1] != follower[:1]] or documents[j])
            ids = [cls, *a, sep, *b, sep]
            segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
            pairs.append((ids, segments, label))
    return pairs

class PairClassifier(nn.Module):
    def __init__(self, reader, width):
        super().__init__()
        self.reader = reader
        self.out = nn.Linear(width, 2)

    def forward(self, ids, segments):
        return self.out(self.reader.states(ids, segments)[:, 0])
