# expect: reject
# hint: you gave the query the length β: it is the two scores that must be β, so the sum of the keys is not divided by √2
def averaging(K, a, b, beta):
    n = len(K)
    query = beta * (K[a] + K[b])
    return query / math.sqrt(2), 1 / (2 + (n - 2) * math.exp(-beta))
