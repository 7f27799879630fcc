# expect: reject
# hint: wrong normaliser: n is the number of keys, not of their coordinates, d
def averaging(K, a, b, beta):
    n = K.shape[1]
    query = beta * (K[a] + K[b])
    return query, 1 / (2 + (n - 2) * math.exp(-beta))
