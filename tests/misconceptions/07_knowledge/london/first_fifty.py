# expect: reject
# hint: use all of train and of dev, whatever their lengths
# The first fifty of dev alone.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train).most_common(1)[0][0]
    return town, sum(q.answer == town for q in dev[:50]) / len(dev[:50])
