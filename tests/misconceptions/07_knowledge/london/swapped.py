# expect: reject
# hint: first the town, then the share
# The other way round.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train).most_common(1)[0][0]
    return sum(q.answer == town for q in dev) / len(dev), town
