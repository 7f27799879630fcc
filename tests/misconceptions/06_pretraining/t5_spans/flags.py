# expect: accept
def compose(total, parts, rng):
    """Random lengths of at least 1 with a given sum."""
    lengths = [1] * parts
    for _ in range(total - parts):
        lengths[rng.randrange(parts)] += 1
    return lengths


def t5_spans(ids, sentinels, rng, rate=0.15, mean_length=3.0):
    n = len(ids)
    if n <= 1:
        return ids[:], sentinels[:1]
    m = max(1, min(n - 1, round(n * rate)))
    k = max(1, min(round(m / mean_length), n - m + 1, len(sentinels) - 1))
    spans, gaps = compose(m, k, rng), [0] + [1] * (k - 1) + [0]
    at = sorted(rng.choices(range(k + 1), [rng.expovariate(1) for _ in range(k + 1)], k=n - m - (k - 1)))
    for i in at:
        gaps[i] += 1
    mask = []
    for i in range(k):
        mask += [-1] * gaps[i] + [i] * spans[i]
    mask += [-1] * gaps[-1]
    source, target, last = [], [], -1
    for token, which in zip(ids, mask):
        if which < 0:
            source.append(token)
        else:
            if which != last:
                source.append(sentinels[which])
                target.append(sentinels[which])
                last = which
            target.append(token)
    return source, target + [sentinels[k]]


def t5_restore(source, target, sentinels):
    out = []
    for token in source:
        if token not in sentinels:
            out.append(token)
            continue
        if token not in target:
            continue
        i = target.index(token) + 1
        while i < len(target) and target[i] not in sentinels:
            out.append(target[i])
            i += 1
    return out
