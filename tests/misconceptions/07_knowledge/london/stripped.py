# expect: reject
# hint: towns differ to the letter: do not strip blanks
# Blanks stripped.
def london_baseline(train, dev):
    town = Counter(q.answer.strip() for q in train).most_common(1)[0][0]
    return town, sum(q.answer.strip() == town for q in dev) / len(dev)
