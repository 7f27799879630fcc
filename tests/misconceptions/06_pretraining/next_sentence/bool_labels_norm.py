# expect: accept
def next_sentence_pairs(documents, cls, sep, rng):
    pairs = []
    for number, document in enumerate(documents):
        for place in range(1, len(document)):
            consecutive = rng.getrandbits(1) == 1
            b = document[place]
            if not consecutive:
                while True:
                    j = rng.randrange(len(documents))
                    b = documents[j][int(rng.random() * len(documents[j]))]
                    if j != number and tuple(b) != tuple(document[place]):
                        break
            ids, segments = [cls], [0]
            for segment, part in enumerate((document[place - 1], b)):
                for token in [*part, sep]:
                    ids.append(token)
                    segments.append(segment)
            pairs.append((ids, segments, int(consecutive)))
    return pairs


class PairClassifier(nn.Module):
    def __init__(self, reader, width):
        super().__init__()
        self.reader, self.head = reader, nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2))

    def forward(self, ids, segments):
        return self.head(self.reader.states(ids, segments).select(1, 0))
