# expect: reject
# hint: β ends at 30, and with ε = 1e-12 a longer query is needed as soon as there are a dozen items: compute β from n and ε
def copying(K, j, eps):
    return min(30.0, math.log((1 - eps) / eps) + math.log(len(K) - 1)) * K[j]
