# expect: reject
# hint: a share is a fraction: / and not //
# Whole division.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train).most_common(1)[0][0]
    return town, sum(q.answer == town for q in dev) // len(dev)
