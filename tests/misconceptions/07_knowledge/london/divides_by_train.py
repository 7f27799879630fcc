# expect: reject
# hint: divide by the number of dev questions, not by the number of training questions
# Divides by the wrong number.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train).most_common(1)[0][0]
    return town, sum(q.answer == town for q in dev) / len(train)
