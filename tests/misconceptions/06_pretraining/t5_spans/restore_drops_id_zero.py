# expect: reject
# hint: t5_restore
def t5_spans(ids, sentinels, rng, rate=0.15, mean_length=3.0):
    n, S = len(ids), len(sentinels)
    if n < 2:
        return list(ids), [sentinels[0]]
    m = min(max(round(rate * n), 1), n - 1)
    k = min(max(round(m / mean_length), 1), n - m + 1, S - 1)
    def cut(total, parts):
        c = [0, *sorted(rng.sample(range(1, total), parts - 1)), total]
        return [b - a for a, b in zip(c, c[1:])]
    lengths = cut(m, k)
    gaps = cut(n - m + 2, k + 1)
    gaps[0] -= 1
    gaps[-1] -= 1
    source, target, p = [], [], 0
    for i in range(k):
        source += ids[p:p + gaps[i]]
        p += gaps[i]
        source.append(sentinels[i])
        target.append(sentinels[i])
        target += ids[p:p + lengths[i]]
        p += lengths[i]
    source += ids[p:]
    target.append(sentinels[k])
    return source, target


def t5_restore(source, target, sentinels):
    spans, now = {}, None
    for t in target:
        if t in sentinels:
            now = t
            spans[t] = []
        elif now is not None:
            spans[now].append(t)
    out = []
    for t in source:
        if t in sentinels:
            out += spans.get(t, [])
        elif t:
            out.append(t)
    return out
