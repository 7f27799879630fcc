# expect: reject
# hint: count in the training answers alone, not in both lists together
# Counted in both lists.
def london_baseline(train, dev):
    town = Counter(q.answer for q in [*train, *dev]).most_common(1)[0][0]
    return town, sum(q.answer == town for q in dev) / len(dev)
