# expect: reject
# hint: n is the number of keys, the rows of K; you counted their coordinates, d
def copying(K, j, eps):
    n = K.shape[1]
    return math.log((1 - eps) * (n - 1) / eps) * K[j]
