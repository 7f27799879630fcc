# expect: reject
# hint: the two results are swapped: return the query first, then the weight
def averaging(K, a, b, beta):
    n = len(K)
    query = beta * (K[a] + K[b])
    return 1 / (2 + (n - 2) * math.exp(-beta)), query
