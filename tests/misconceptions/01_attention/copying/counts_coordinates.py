# expect: reject
# hint: n is the number of keys
def copying(K, j, eps):
    n = K.shape[1]
    return math.log((1 - eps) * (n - 1) / eps) * K[j]
