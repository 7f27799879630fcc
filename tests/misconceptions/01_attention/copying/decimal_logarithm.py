# expect: reject
# hint: natural logarithm
def copying(K, j, eps):
    n = len(K)
    return math.log10((1 - eps) * (n - 1) / eps) * K[j]
