# expect: accept
def cut(total, parts, rng):
    if parts == 1:
        return [total]
    first = rng.randint(1, total - parts + 1)
    return [first, *cut(total - first, parts - 1, rng)]


def t5_spans(ids, sentinels, rng, rate=0.15, mean_length=3.0):
    n = len(ids)
    if n in (0, 1):
        return list(ids), [sentinels[0]]
    m = min(max(round(rate * n), 1), n - 1)
    k = min(max(round(m / mean_length), 1), n - m + 1, len(sentinels) - 1)
    spans = cut(m, k, rng)
    gaps = cut(n - m + 2, k + 1, rng)
    rng.shuffle(gaps)
    gaps[0] -= 1
    gaps[-1] -= 1
    words = list(ids)
    source, target = [], []
    for number, (gap, length) in enumerate(zip(gaps, spans)):
        source += words[:gap] + [sentinels[number]]
        target += [sentinels[number]] + words[gap : gap + length]
        words = words[gap + length :]
    return source + words, target + [sentinels[k]]


def t5_restore(source, target, sentinels):
    if not source:
        return []
    head, rest = source[0], t5_restore(source[1:], target, sentinels)
    if head not in sentinels:
        return [head] + rest
    if head not in target:
        return rest
    begin = target.index(head) + 1
    end = begin
    while end < len(target) and target[end] not in sentinels:
        end += 1
    return target[begin:end] + rest
