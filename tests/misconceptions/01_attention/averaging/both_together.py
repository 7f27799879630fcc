# expect: reject
# hint: of a and b together
def averaging(K, a, b, beta):
    n = len(K)
    query = beta * (K[a] + K[b])
    return query, 2 / (2 + (n - 2) * math.exp(-beta))
