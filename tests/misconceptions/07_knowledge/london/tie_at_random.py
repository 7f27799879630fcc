# expect: reject
# hint: The same arguments give the same result
def london_baseline(train, dev):
    c = Counter(q.answer for q in train)
    best = max(c.values())
    town = random.choice([t for t in c if c[t] == best])
    return town, sum(q.answer == town for q in dev) / len(dev)
