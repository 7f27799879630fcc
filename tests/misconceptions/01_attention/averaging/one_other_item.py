# expect: reject
# hint: you counted only one
def averaging(K, a, b, beta):
    n = len(K)
    query = beta * (K[a] + K[b])
    return query, 1 / (2 + math.exp(-beta))
