# expect: reject
# hint: A single span never begins at the first word: both outer gaps may be empty.
def t5_spans(ids, sentinels, rng, rate=0.15, mean_length=3.0):
    n, S = len(ids), len(sentinels)
    if n < 2:
        return list(ids), [sentinels[0]]
    m = min(max(round(rate * n), 1), n - 1)
    k = min(max(round(m / mean_length), 1), n - m + 1, S - 1)
    cuts = [0, *sorted(rng.sample(range(1, m), k - 1)), m]
    lengths = [b - a for a, b in pairwise(cuts)]
    free = n - m + 2
    cuts = [0, *sorted(rng.sample(range(1, free), k)), free]
    gaps = [b - a for a, b in pairwise(cuts)]
    gaps[0] -= 1
    gaps[-1] -= 1
    if gaps[0] == 0 and gaps[-1] > 0: gaps[0], gaps[-1] = 1, gaps[-1] - 1
    source, target, p = [], [], 0
    for i in range(k):
        source += [*ids[p : p + gaps[i]], sentinels[i]]
        p += gaps[i]
        target += [sentinels[i], *ids[p : p + lengths[i]]]
        p += lengths[i]
    return source + list(ids[p:]), [*target, sentinels[k]]


def t5_restore(source, target, sentinels):
    spans, at = {}, None
    for i in target:
        if i in sentinels:
            at = spans.setdefault(i, [])
        elif at is not None:
            at.append(i)
    out = []
    for i in source:
        out += spans.get(i, []) if i in sentinels else [i]
    return out
