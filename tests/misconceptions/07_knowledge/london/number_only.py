# expect: reject
# hint: return two things, the town and its share of dev; yours returns the share alone
# Only the accuracy.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train).most_common(1)[0][0]
    return sum(q.answer == town for q in dev) / len(dev)
