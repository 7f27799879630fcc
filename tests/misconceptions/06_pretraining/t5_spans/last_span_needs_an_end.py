# expect: reject
# hint: The target may end without a closing sentinel: its last span counts all the same.
def parts_of(total: int, parts: int, rng) -> list[int]:
    cuts = [0, *sorted(rng.sample(range(1, total), parts - 1)), total]
    return [b - a for a, b in pairwise(cuts)]


def t5_spans(ids, sentinels, rng, rate=0.15, mean_length=3.0):
    n, S = len(ids), len(sentinels)
    if n < 2:
        return list(ids), [sentinels[0]]
    m = min(max(round(rate * n), 1), n - 1)
    k = min(max(round(m / mean_length), 1), n - m + 1, S - 1)
    lengths = parts_of(m, k, rng)
    gaps = parts_of(n - m + 2, k + 1, rng)
    gaps[0] -= 1
    gaps[-1] -= 1
    source, target, place = [], [], 0
    for i in range(k):
        source += ids[place : place + gaps[i]] + [sentinels[i]]
        place += gaps[i]
        target += [sentinels[i]] + ids[place : place + lengths[i]]
        place += lengths[i]
    return source + ids[place:], target + [sentinels[k]]


def t5_restore(source, target, sentinels):
    spans = {}
    marks = [p for p, i in enumerate(target) if i in sentinels]
    for a, b in pairwise(marks):
        spans[target[a]] = target[a + 1 : b]
    text = []
    for i in source:
        text += spans.get(i, []) if i in sentinels else [i]
    return text
