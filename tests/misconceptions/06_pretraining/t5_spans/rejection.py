# expect: accept
def t5_spans(ids, sentinels, rng, rate=0.15, mean_length=3.0):
    """Cut the noise into lengths, shuffle spans and kept words like cards, until no two spans lie side by side."""
    n = len(ids)
    if n < 2:
        return list(ids), [sentinels[0]]
    m = min(max(round(rate * n), 1), n - 1)
    k = min(max(round(m / mean_length), 1), n - m + 1, len(sentinels) - 1)
    marks = sorted(rng.sample(range(m - 1), k - 1))
    lengths = [b - a for a, b in zip([-1, *marks], [*marks, m - 1])]
    slots = [""] * (n - m + 1)
    for slot in rng.sample(range(len(slots)), k):
        slots[slot] = "span"
    source, target, at, number = [], [], 0, 0
    for i, slot in enumerate(slots):
        if slot == "span":
            source.append(sentinels[number])
            target.extend([sentinels[number], *ids[at : at + lengths[number]]])
            at += lengths[number]
            number += 1
        if i < n - m:
            source.append(ids[at])
            at += 1
    target.append(sentinels[number])
    return source, target


def t5_restore(source, target, sentinels):
    text = list(source)
    for i, mark in enumerate(target):
        if mark in sentinels and mark in text:
            stop = next((j for j in range(i + 1, len(target)) if target[j] in sentinels), len(target))
            at = text.index(mark)
            text[at : at + 1] = target[i + 1 : stop]
    return [token for token in text if token not in sentinels]
