# expect: reject
# hint: the weights are powers of e: take the natural logarithm, math.log
def copying(K, j, eps):
    n = len(K)
    return math.log10((1 - eps) * (n - 1) / eps) * K[j]
