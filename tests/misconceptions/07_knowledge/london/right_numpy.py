# expect: accept
# numpy's unique; the town is numpy's own text.
def london_baseline(train, dev):
    towns, counts = np.unique([q.answer for q in train], return_counts=True)
    town = towns[counts.argmax()]
    return town, np.mean([q.answer == town for q in dev])
