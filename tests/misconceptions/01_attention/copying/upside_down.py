# expect: reject
# hint: upside down
def copying(K, j, eps):
    n = len(K)
    return math.log((n - 1) * eps / (1 - eps)) * K[j]
