# expect: reject
# hint: that is the town's share of the training answers: count how often it is right on dev
# The share of the training answers.
def london_baseline(train, dev):
    town, times = Counter(q.answer for q in train).most_common(1)[0]
    return town, times / len(train)
