# expect: reject
# hint: more items need a larger β: n − 1 multiplies (1 − ε)/ε, it does not divide it
def copying(K, j, eps):
    n = len(K)
    return math.log((1 - eps) / eps / (n - 1)) * K[j]
