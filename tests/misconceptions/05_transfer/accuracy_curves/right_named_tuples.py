# expect: accept
from collections import namedtuple

Interval = namedtuple("Interval", "mean low high")


def accuracy(model, batches):
    model.eval()
    with torch.no_grad():
        counts = [(int((model(x).argmax(1) == y).sum()), y.shape[0]) for x, y in batches]
    good, n = zip(*counts)
    return sum(good) / sum(n)


def gain(scratch, pretrained):
    if not len(scratch) >= 3:
        raise ValueError("three seeds at least")
    rows = [[b - a for a, b in zip(s, p)] for s, p in zip(scratch, pretrained)]
    return Interval(*mean_interval([r[0] for r in rows])), Interval(*mean_interval([sum(r) / len(r) for r in rows]))
