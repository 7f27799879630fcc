# expect: accept
# A dictionary and loops.
def london_baseline(train, dev):
    counts = {}
    for question in train:
        counts[question.answer] = counts.get(question.answer, 0) + 1
    best = None
    for town in counts:
        if best is None or counts[town] > counts[best]:
            best = town
    right = 0
    for question in dev:
        if question.answer == best:
            right += 1
    return best, right / len(dev)
