# expect: reject
# hint: the sign of the exponent is turned: a larger β must give a larger weight
def averaging(K, a, b, beta):
    n = len(K)
    query = beta * (K[a] + K[b])
    return query, 1 / (2 + (n - 2) * math.exp(min(beta, 700)))
