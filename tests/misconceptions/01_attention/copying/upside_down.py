# expect: reject
# hint: β came out negative, which gives item j less weight than the others: is the fraction in the logarithm upside down?
def copying(K, j, eps):
    n = len(K)
    return math.log((n - 1) * eps / (1 - eps)) * K[j]
