# expect: reject
# hint: documents may have many sentences, each pair of neighbours counts
# keeps: PairClassifier
def next_sentence_pairs(documents, cls, sep, rng):
    out = []
    for d, document in enumerate(documents):
        others = [s for e, other in enumerate(documents) if e != d for s in other]
        for a, b in zip(document, document[1:] if len(document) < 6 else document[1:6]):
            label = rng.randrange(2)
            if not label:
                fitting = [s for s in others if s != b]
                if fitting:
                    b = rng.choice(fitting)
                else:
                    label = 1
            first = [cls, *a, sep]
            out.append((first + [*b, sep], [0] * len(first) + [1] * (len(b) + 1), label))
    return out

class PairClassifier(nn.Module):
    def __init__(self, reader, width):
        super().__init__()
        self.reader = reader
        self.verdict = nn.Linear(width, 2)

    def forward(self, ids, segments):
        return self.verdict(self.reader.states(ids, segments).select(1, 0))
