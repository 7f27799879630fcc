# expect: reject
# hint: count which town is the most frequent: it is London in another data set
# Always London.
def london_baseline(train, dev):
    town = "London"
    return town, sum(q.answer == town for q in dev) / len(dev)
