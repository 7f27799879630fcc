# expect: reject
# hint: leave the lists as they are: sorted() gives a new one
# Sorts its argument.
def london_baseline(train, dev):
    train.sort(key=lambda q: q.answer)
    town = Counter(q.answer for q in train).most_common(1)[0][0]
    return town, sum(q.answer == town for q in dev) / len(dev)
