# expect: reject
# hint: j counts from 0
def copying(K, j, eps):
    n = len(K)
    return math.log((1 - eps) * (n - 1) / eps) * K[j - 1]
