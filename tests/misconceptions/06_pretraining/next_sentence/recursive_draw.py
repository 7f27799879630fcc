# expect: accept
def other_sentence(documents, k, wrong, rng):
    j, = rng.sample([i for i in range(len(documents)) if i != k], 1)
    b = documents[j][rng.randrange(len(documents[j]))]
    return b if b != wrong else other_sentence(documents, k, wrong, rng)


def next_sentence_pairs(documents, cls, sep, rng):
    pairs = []
    for k, d in enumerate(documents):
        for a, b in zip(d[:-1], d[1:]):
            label = rng.choice((0, 1))
            second = b if label else other_sentence(documents, k, b, rng)
            left, right = [cls, *a, sep], [*second, sep]
            pairs.append((left + right, [0 for _ in left] + [1 for _ in right], label))
    return pairs


class PairClassifier(nn.Module):
    def __init__(self, reader, width):
        super().__init__()
        self.bert = reader
        self.weight = nn.Parameter(torch.randn(width, 2) * width**-0.5)
        self.bias = nn.Parameter(torch.zeros(2))

    def forward(self, ids, segments):
        return torch.einsum("bd,dc->bc", self.bert.states(ids, segments)[:, 0], self.weight) + self.bias
