# expect: reject
# hint: that is the answer of one training question: count how often each answer occurs and take the most frequent
# The first answer, not the most frequent.
def london_baseline(train, dev):
    town = train[-1].answer
    return town, sum(q.answer == town for q in dev) / len(dev)
