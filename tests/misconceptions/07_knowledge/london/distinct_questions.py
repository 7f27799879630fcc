# expect: reject
# hint: every training question counts, also when two of them have the same words: do not put them into a dictionary or set
# Questions with equal words counted once.
def london_baseline(train, dev):
    answers = {q.text: q.answer for q in train}
    town = Counter(answers.values()).most_common(1)[0][0]
    return town, sum(q.answer == town for q in dev) / len(dev)
