# expect: accept
def t5_spans(ids, sentinels, rng, rate=0.15, mean_length=3.0):
    import numpy as np

    n = len(ids)
    if n < 2:
        return ids.copy(), sentinels[:1]
    draw = np.random.default_rng(rng.getrandbits(64))
    m = int(np.clip(round(rate * n), 1, n - 1))
    k = min(max(round(m / mean_length), 1), n - m + 1, len(sentinels) - 1)
    ends = np.sort(draw.choice(np.arange(1, m), k - 1, replace=False)) if k > 1 else np.zeros(0, int)
    lengths = np.diff(np.concatenate([[0], ends, [m]])).astype(int)
    begins = np.sort(draw.choice(n - m + 1, k, replace=False)) + np.concatenate([[0], np.cumsum(lengths)[:-1]])
    source, target = list(ids), []
    for i in reversed(range(k)):
        begin, length = int(begins[i]), int(lengths[i])
        target = [sentinels[i], *source[begin : begin + length], *target]
        source[begin : begin + length] = [sentinels[i]]
    return source, [*target, sentinels[k]]


def t5_restore(source, target, sentinels):
    def span(mark):
        if mark not in target:
            return []
        rest = target[target.index(mark) + 1 :]
        stop = [i for i, token in enumerate(rest) if token in sentinels]
        return rest[: stop[0]] if stop else rest

    return [word for token in source for word in (span(token) if token in sentinels else [token])]
