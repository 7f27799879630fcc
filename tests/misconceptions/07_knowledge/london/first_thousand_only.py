# expect: reject
# hint: of questions
def london_baseline(train, dev):
    from collections import Counter
    town = Counter(q.answer for q in train[:1000]).most_common(1)[0][0]
    return town, sum(q.answer == town for q in dev) / len(dev)
