# expect: accept
# max with a key, exact_match for the share.
def london_baseline(train, dev):
    answers = [q.answer for q in train]
    town = max(set(answers), key=answers.count)
    return town, exact_match([town] * len(dev), [q.answer for q in dev])
