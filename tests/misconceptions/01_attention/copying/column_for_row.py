# expect: reject
# hint: the keys are the rows of K: key j is K[j], of shape (d,), not the column K[:, j]
def copying(K, j, eps):
    n = len(K)
    return math.log((1 - eps) * (n - 1) / eps) * K[:, j]
