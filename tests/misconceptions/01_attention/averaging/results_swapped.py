# expect: reject
# hint: two results are swapped
def averaging(K, a, b, beta):
    n = len(K)
    query = beta * (K[a] + K[b])
    return 1 / (2 + (n - 2) * math.exp(-beta)), query
