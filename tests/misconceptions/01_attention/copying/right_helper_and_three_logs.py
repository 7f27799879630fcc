# expect: accept
def smallest_score(n, eps):
    """beta with e^beta / (e^beta + n - 1) = 1 - eps."""
    return math.log(1 - eps) + math.log(n - 1) - math.log(eps)


def copying(K, j, eps):
    return smallest_score(K.size(0), eps) * K[j].clone()
