# expect: reject
# hint: not of their coordinates
def averaging(K, a, b, beta):
    n = K.shape[1]
    query = beta * (K[a] + K[b])
    return query, 1 / (2 + (n - 2) * math.exp(-beta))
