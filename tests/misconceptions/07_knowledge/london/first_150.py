# expect: reject
# hint: use all of train, however long it is
# 150 training questions.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train[:150]).most_common(1)[0][0]
    return town, sum(q.answer == town for q in dev) / len(dev)
