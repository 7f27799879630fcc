# expect: accept
def t5_spans(ids, sentinels, rng, rate=0.15, mean_length=3.0):
    n = len(ids)
    if n < 2:
        return [*ids], [sentinels[0]]
    m = min(max(round(rate * n), 1), n - 1)
    k = min(max(round(m / mean_length), 1), n - m + 1, len(sentinels) - 1)

    def split(total, parts):
        flags = [1] * (parts - 1) + [0] * (total - parts)
        rng.shuffle(flags)
        lengths = [1]
        for flag in flags:
            if flag:
                lengths.append(1)
            else:
                lengths[-1] += 1
        return lengths

    noise = split(m, k)
    keep = split(n - m + 2, k + 1)
    keep = [keep[0] - 1, *keep[1:-1], keep[-1] - 1]
    rest = iter(ids)
    source, target = [], []
    for i in range(k + 1):
        source += [next(rest) for _ in range(keep[i])]
        target.append(sentinels[i])
        if i < k:
            source.append(sentinels[i])
            target += [next(rest) for _ in range(noise[i])]
    return source, target


def t5_restore(source, target, sentinels):
    pieces = {}
    for token in target:
        if token in sentinels:
            name = token
            pieces[name] = []
        else:
            pieces[name].append(token)
    return sum(([x] if x not in sentinels else pieces.get(x, []) for x in source), [])
