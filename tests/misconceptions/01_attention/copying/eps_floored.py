# expect: reject
# hint: ε may be as small as 1e-12: raising it to a larger number makes the query too short
def copying(K, j, eps):
    n = len(K)
    eps = max(eps, 1e-10)
    return math.log((1 - eps) * (n - 1) / eps) * K[j]
