# expect: reject
# hint: G: a bias of D numbers in every layer
# keeps: published_total
def published_total(V, D, L, C):
    return V * D + L * 3 * (D**2 + D) + 2 * D**2 + 5 * D + D * C + C


def slips(V, D, L, C):
    return {"C": (L - 1) * (3 * D**2 + 7 * D), "E": L * (D**2 + D), "G": D}
