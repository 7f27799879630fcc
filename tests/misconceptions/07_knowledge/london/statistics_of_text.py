# expect: reject
# hint: count the answers, not the questions' texts
# The most frequent text.
def london_baseline(train, dev):
    town = Counter(q.text for q in train).most_common(1)[0][0]
    return town, sum(q.answer == town for q in dev) / len(dev)
