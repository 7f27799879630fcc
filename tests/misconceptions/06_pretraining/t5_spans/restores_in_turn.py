# expect: reject
# hint: Each gap gets the span behind its own sentinel, not the next span in turn.
def cut(n, k, rng):
    c = [0, *sorted(rng.sample(range(1, n), k - 1)), n]
    return [b - a for a, b in zip(c, c[1:])]


def t5_spans(ids, sentinels, rng, rate=0.15, mean_length=3.0):
    n = len(ids)
    if n < 2:
        return list(ids), [sentinels[0]]
    m = min(max(round(rate * n), 1), n - 1)
    k = min(max(round(m / mean_length), 1), n - m + 1, len(sentinels) - 1)
    L = cut(m, k, rng)
    G = cut(n - m + 2, k + 1, rng)
    G[0] -= 1
    G[-1] -= 1
    s, t, p = [], [], 0
    for i in range(k):
        s += ids[p : p + G[i]] + [sentinels[i]]
        p += G[i]
        t += [sentinels[i]] + ids[p : p + L[i]]
        p += L[i]
    return s + ids[p:], t + [sentinels[k]]


def t5_restore(source, target, sentinels):
    S = set(sentinels)
    d = {}
    cur = None
    for w in target:
        if w in S:
            cur = w
            d[w] = []
        elif cur is not None:
            d[cur].append(w)
    out = []
    it = iter(d.values())
    for w in source:
        out += next(it, []) if w in S else [w]
    return out
