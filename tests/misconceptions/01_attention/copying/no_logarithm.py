# expect: reject
# hint: this is e^β, not β: take the logarithm
def copying(K, j, eps):
    n = len(K)
    return (1 - eps) * (n - 1) / eps * K[j]
