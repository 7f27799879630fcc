# expect: reject
# hint: choose the town by the training answers: you counted in dev, the questions you are tested on
# Counts the most frequent town among the questions it is tested on.
def london_baseline(train, dev):
    town = Counter(q.answer for q in dev).most_common(1)[0][0]
    return town, sum(q.answer == town for q in dev) / len(dev)
