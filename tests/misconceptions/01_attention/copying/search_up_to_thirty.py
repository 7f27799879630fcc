# expect: reject
# hint: β ends at 30, and with ε = 1e-12 a longer query is needed as soon as there are a dozen items: compute β from n and ε
def copying(K, j, eps):
    n = len(K)
    low, high = 0.0, 30.0
    for _ in range(200):
        middle = (low + high) / 2
        # leak = (n-1) e^-beta / (1 + (n-1) e^-beta)
        leak = (n - 1) * math.exp(-middle) / (1 + (n - 1) * math.exp(-middle))
        if leak > eps:
            low = middle
        else:
            high = middle
    return high * K[j]
