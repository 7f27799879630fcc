# expect: reject
# hint: the query is a multiple of another key: j counts from 0, so key j is K[j]
def copying(K, j, eps):
    n = len(K)
    return math.log((1 - eps) * (n - 1) / eps) * K[j - 1]
