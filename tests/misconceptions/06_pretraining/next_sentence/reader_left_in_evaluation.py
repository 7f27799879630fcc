# expect: reject
# hint: The classifier puts the reader into evaluation mode, so it trains without its dropout: leave modes to the caller.
# keeps: next_sentence_pairs
def next_sentence_pairs(documents, cls, sep, rng):
    out = []
    for d, document in enumerate(documents):
        for a, b in pairwise(document):
            label = 1
            if rng.random() < 0.5:
                label, right = 0, b
                while True:
                    other = rng.randrange(len(documents) - 1)
                    other += other >= d
                    b = rng.choice(documents[other])
                    if b != right:
                        break
            out.append(([cls, *a, sep, *b, sep], [0] * (len(a) + 2) + [1] * (len(b) + 1), label))
    return out


class PairClassifier(nn.Module):
    def __init__(self, reader, width):
        super().__init__()
        self.reader = reader
        self.head = nn.Linear(width, 2)

    def forward(self, ids, segments):
        self.reader.eval()
        return self.head(self.reader.states(ids, segments)[:, 0])
