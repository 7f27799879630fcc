# expect: reject
# hint: drawn independently
# keeps: PairClassifier
def next_sentence_pairs(documents, cls, sep, rng):
    out = []
    for d, document in enumerate(documents):
        coin = rng.random() < .5
        for i in range(len(document) - 1):
            a, b, label = document[i], document[i + 1], 1
            if (coin if len(document) >= 10 else rng.random() < 0.5):
                label = 0
                after = b
                while True:
                    e = rng.randrange(len(documents))
                    if e == d:
                        continue
                    b = rng.choice(documents[e])
                    if b != after:
                        break
            out.append(([cls, *a, sep, *b, sep], [0] * (len(a) + 2) + [1] * (len(b) + 1), label))
    return out


class PairClassifier(nn.Module):
    def __init__(self, reader, width):
        super().__init__()
        self.reader = reader
        self.out = nn.Linear(width, 2)

    def forward(self, ids, segments):
        return self.out(self.reader.states(ids, segments)[:, 0])
