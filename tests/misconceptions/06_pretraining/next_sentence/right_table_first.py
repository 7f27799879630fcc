# expect: accept
def next_sentence_pairs(documents, cls, sep, rng):
    neighbours = [(d, i) for d in range(len(documents)) for i in range(len(documents[d]) - 1)]
    coins = [rng.random() < 0.5 for _ in neighbours]
    pairs = []
    for (d, i), stays in zip(neighbours, coins):
        a, b = documents[d][i], documents[d][i + 1]
        if not stays:
            fitting = [[s for s in other if s != b] for k, other in enumerate(documents) if k != d]
            b = rng.choice(rng.choice([sentences for sentences in fitting if sentences]))
        pairs.append(([cls] + a + [sep] + b + [sep], [0] * (2 + len(a)) + [1] * (1 + len(b)), int(stays)))
    return pairs


class PairClassifier(nn.Module):
    def __init__(self, reader, width):
        super().__init__()
        self.parts = nn.ModuleList([reader, nn.Linear(width, 2, bias=False)])

    def forward(self, ids, segments):
        reader, head = self.parts
        return head(reader.states(ids, segments=segments).narrow(1, 0, 1)).squeeze(1)
