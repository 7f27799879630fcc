# expect: reject
# hint: towns differ to the letter: do not change capitals
# Lower case.
def london_baseline(train, dev):
    town = Counter(q.answer.lower() for q in train).most_common(1)[0][0]
    return town, sum(q.answer.lower() == town for q in dev) / len(dev)
