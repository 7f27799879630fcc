# expect: reject
# hint: The same arguments give the same result, however often it is asked for, and what was returned stays as it is.
OUT = ([], [])


def t5_spans(
    ids: list[int], sentinels: list[int], rng: random.Random, rate: float = 0.15, mean_length: float = 3.0
) -> tuple[list[int], list[int]]:
    """Take spans out of a text.

    Args:
        ids: n word ids; no sentinel among them.
        sentinels: S ids, at least two; the i-th span's place is taken by the i-th.
        rng: source of all randomness.

    Returns:
        source: the text with one sentinel for each span; target: sentinel, span, sentinel, span, …, closing sentinel.
    """
    n = len(ids)
    if n < 2:
        OUT[0][:] = ids
        OUT[1][:] = sentinels[:1]
        return OUT[0], OUT[1]
    m = min(max(round(rate * n), 1), n - 1)
    k = min(max(round(m / mean_length), 1), n - m + 1, len(sentinels) - 1)
    cuts = [0, *sorted(rng.sample(range(1, m), min(k, m) - 1)), m]
    # a gap between two spans needs a word, an outer one does not: so choose among n - m + 1 places to put a span
    places = sorted(rng.sample(range(n - m + 1), len(cuts) - 1))
    source, target, end = [], [], 0
    for i, place in enumerate(places):
        begin, stop = place + cuts[i], place + cuts[i + 1]
        source += [*ids[end:begin], sentinels[i]]
        target += [sentinels[i], *ids[begin:stop]]
        end = stop
    return source + list(ids[end:]), [*target, sentinels[len(places)]]


def t5_restore(source: list[int], target: list[int], sentinels: list[int]) -> list[int]:
    """The text from which source and target were made."""
    spans, current = {}, None
    for token in target:
        if token in sentinels:
            current = token
            spans[current] = []
        elif current is not None:
            spans[current].append(token)
    text = []
    for token in source:
        text += spans.get(token, []) if token in sentinels else [token]
    return text
