# expect: reject
# hint: a town that is nobody's on dev has the share 0, and is no error
# A KeyError for towns that dev lacks.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train).most_common(1)[0][0]
    return town, dict(Counter(q.answer for q in dev))[town] / len(dev)
