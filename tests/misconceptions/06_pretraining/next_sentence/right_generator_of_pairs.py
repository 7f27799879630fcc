# expect: accept
from typing import NamedTuple


class SentencePair(NamedTuple):
    ids: list
    segments: list
    label: int


def every_pair(documents, cls, sep, rng):
    for home, document in enumerate(documents):
        others = documents[:home] + documents[home + 1 :]
        for first, following in pairwise(document):
            second, label = following, int(rng.uniform(0, 1) >= 0.5)
            while not label and second == following:
                second = rng.choice(rng.choice(others))
            ids = [cls] + list(first) + [sep] + list(second) + [sep]
            yield SentencePair(ids, [0] * (len(first) + 2) + [1] * (1 + len(second)), label)


def next_sentence_pairs(documents, cls, sep, rng):
    return list(every_pair(documents, cls, sep, rng))


class PairClassifier(nn.Module):
    def __init__(self, reader, width):
        super().__init__()
        self.reader = reader
        self.dropout = nn.Dropout(0.1)
        self.pooler = nn.Linear(width, width)
        self.head = nn.Linear(width, 2)

    def forward(self, ids, segments):
        pooled = torch.tanh(self.pooler(self.reader.states(ids, segments)[:, 0]))
        return self.head(self.dropout(pooled))
