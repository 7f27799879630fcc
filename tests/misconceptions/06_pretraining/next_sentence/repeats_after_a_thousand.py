# expect: reject
# hint: of a thousand documents, too
# keeps: PairClassifier
def next_sentence_pairs(documents, cls, sep, rng):
    out = []
    for d, document in enumerate(documents):
        for i in range(len(document) - 1):
            a, b, label = document[i], document[i + 1], 1
            if rng.random() < 0.5:
                label = 0
                last = None
                after = b
                while True:
                    e = rng.randrange(len(documents))
                    if e == d:
                        continue
                    b = rng.choice(documents[e])
                    if b != after:
                        break
            if label == 0 and out and len(out) > 2000 and out[-1000][2] == 0:
                c = out[-1000][0]
                c = c[c.index(sep) + 1:-1]
                if c != after and all(c != s for s in document): b = c
            out.append(([cls, *a, sep, *b, sep], [0] * (len(a) + 2) + [1] * (len(b) + 1), label))
    return out


class PairClassifier(nn.Module):
    def __init__(self, reader, width):
        super().__init__()
        self.reader = reader
        self.out = nn.Linear(width, 2)

    def forward(self, ids, segments):
        return self.out(self.reader.states(ids, segments)[:, 0])
