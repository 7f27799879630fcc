# expect: reject
# hint: the answer must equal the town to the letter: York is not New York
# Substring instead of equality.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train).most_common(1)[0][0]
    return town, sum(town in q.answer for q in dev) / len(dev)
