# expect: accept
def published_total(V, D, L, C):
    total = V * D
    for _ in range(L):
        total += 3 * D * (D + 1)
    for term in (D * D, 2 * D, D * D, D, 2 * D, D * C, C):
        total += term
    return total


def slips(V, D, L, C):
    lost = dict.fromkeys("CEG", 0)
    for layer in range(L):
        lost["G"] += D
        lost["E"] += D * D + D
        if layer:
            lost["C"] += D * D + D + 2 * (D * D + D) + 4 * D
    return lost
