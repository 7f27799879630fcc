# expect: reject
# hint: answers count to the letter
def london_baseline(train, dev):
    from collections import Counter
    town = Counter(q.answer for q in train).most_common(1)[0][0]
    return town, sum(town.startswith(q.answer) for q in dev) / len(dev)
