# expect: reject
# hint: wrong normaliser: there are n − 2 other items, you counted only one
def averaging(K, a, b, beta):
    n = len(K)
    query = beta * (K[a] + K[b])
    return query, 1 / (2 + math.exp(-beta))
