# expect: accept
def next_sentence_pairs(documents, cls, sep, rng):
    everything = [(d, s) for d, document in enumerate(documents) for s in document]
    out = []
    for d, document in enumerate(documents):
        for i in range(len(document) - 1):
            a, true = document[i], document[i + 1]
            if rng.random() < 0.5:
                b, label = true, 1
            else:
                b, label = rng.choice([s for e, s in everything if e != d and s != true]), 0
            ids = [cls] + a + [sep] + b + [sep]
            cut = ids.index(sep) + 1
            out.append((ids, [int(t >= cut) for t in range(len(ids))], label))
    return out


class PairClassifier(nn.Module):
    def __init__(self, reader, width):
        super().__init__()
        self.net = nn.ModuleDict({"reader": reader, "pool": nn.Linear(width, width), "out": nn.Linear(width, 2)})

    def forward(self, ids, segments):
        cls = self.net["reader"].states(ids, segments)[:, 0, :]
        return self.net["out"](torch.tanh(self.net["pool"](cls)))
