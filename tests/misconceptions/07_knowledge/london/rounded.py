# expect: reject
# hint: return the share itself, not rounded
# Rounded to two decimals.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train).most_common(1)[0][0]
    return town, round(sum(q.answer == town for q in dev) / len(dev), 2)
