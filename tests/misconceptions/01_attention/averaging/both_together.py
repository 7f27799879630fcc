# expect: reject
# hint: this is the weight of a and b together: each of the two gets half of it
def averaging(K, a, b, beta):
    n = len(K)
    query = beta * (K[a] + K[b])
    return query, 2 / (2 + (n - 2) * math.exp(-beta))
