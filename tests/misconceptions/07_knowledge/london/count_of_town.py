# expect: reject
# hint: return the town's name, not how often it occurs
# The pair of most_common returned.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train).most_common(1)[0]
    return town, sum(q.answer == town for q in dev) / len(dev)
