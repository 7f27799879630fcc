# expect: reject
# hint: The same arguments give the same result
_calls = [0]
def london_baseline(train, dev):
    c = Counter(q.answer for q in train)
    best = [t for t in c if c[t] == max(c.values())]
    _calls[0] += 1
    town = best[_calls[0] % len(best)]
    return town, sum(q.answer == town for q in dev) / len(dev)
