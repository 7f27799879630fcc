# expect: reject
# hint: it does not divide it
def copying(K, j, eps):
    n = len(K)
    return math.log((1 - eps) / eps / (n - 1)) * K[j]
