# expect: accept
def copying(K, j, eps):
    others, beta = len(K) - 1, math.log(1 / eps)
    for _ in range(50):  # Newton's method on beta + log(eps / ((1 - eps) * others))
        beta -= beta - math.log(others) + math.log(eps / (1 - eps))
    return torch.mul(K[j], beta)
