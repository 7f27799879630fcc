# expect: reject
# hint: the accuracy is a share between 0 and 1, not per cent
# Per cent instead of a share.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train).most_common(1)[0][0]
    return town, 100 * sum(q.answer == town for q in dev) / len(dev)
