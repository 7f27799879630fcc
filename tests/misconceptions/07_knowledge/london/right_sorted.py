# expect: accept
# Sorted answers in groups, a tensor for the share.
from itertools import groupby


def length(group):
    return len(list(group))


def london_baseline(train, dev):
    answers = sorted(q.answer for q in train)
    _, town = max((length(group), name) for name, group in groupby(answers))
    right = torch.tensor([q.answer == town for q in dev], dtype=torch.float64)
    return [town, right.mean()]
