# expect: reject
# hint: the coin is tossed once for each pair: where a drawn sentence will not do, draw another sentence and keep the label 0
# keeps: PairClassifier
def next_sentence_pairs(documents, cls, sep, rng):
    pairs = []
    for d, document in enumerate(documents):
        for a, follows in pairwise(document):
            while True:
                label, b = int(rng.random() < 0.5), follows
                if label:
                    break
                other = rng.randrange(len(documents) - 1)
                other += other >= d
                b = rng.choice(documents[other])
                if b != follows:
                    break
            ids = [cls, *a, sep, *b, sep]
            segments = [0] * (len(a) + 2) + [1] * (len(b) + 1)
            pairs.append((ids, segments, label))
    return pairs


class PairClassifier(nn.Module):
    def __init__(self, reader, width):
        super().__init__()
        self.reader = reader
        self.head = nn.Linear(width, 2)

    def forward(self, ids, segments):
        return self.head(self.reader.states(ids, segments)[:, 0])
