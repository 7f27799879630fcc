# expect: reject
# hint: that is the rarest answer of the training questions: take the most frequent
# The rarest answer.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train).most_common()[-1][0]
    return town, sum(q.answer == town for q in dev) / len(dev)
