# expect: accept
from itertools import groupby


def t5_spans(ids, sentinels, rng, rate=0.15, mean_length=3.0):
    n = len(ids)
    if n < 2:
        return list(ids), [sentinels[0]]
    m = sorted((1, round(rate * n), n - 1))[1]
    k = min(max(1, round(m / mean_length)), n - m + 1, len(sentinels) - 1)
    heaps = [1] * k
    for _ in range(m - k):
        heaps[rng.randrange(k)] += 1
    starts = set(rng.sample(range(n - m + 1), k))
    gone = []
    for place in range(n - m + 1):
        if place in starts:
            gone += [True] * heaps.pop()
        if place < n - m:
            gone.append(False)
    source, target, number = [], [], 0
    for taken, group in groupby(range(n), key=gone.__getitem__):
        words = [ids[i] for i in group]
        if not taken:
            source += words
            continue
        source.append(sentinels[number])
        target += [sentinels[number], *words]
        number += 1
    return source, target + [sentinels[number]]


def t5_restore(source, target, sentinels):
    marks = set(sentinels)
    where = {token: i for i, token in enumerate(target) if token in marks}
    text = []
    for token in source:
        if token not in marks:
            text.append(token)
        elif token in where:
            i = where[token] + 1
            while i < len(target) and target[i] not in marks:
                text.append(target[i])
                i += 1
    return text
