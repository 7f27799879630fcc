# expect: reject
# hint: C: 3(D² + D) stands inside the bracket and is multiplied by L; only the rest is lost
# keeps: published_total
def published_total(V, D, L, C):
    return V * D + L * 3 * (D**2 + D) + 2 * D**2 + 5 * D + D * C + C


def slips(V, D, L, C):
    return {"C": (L - 1) * (6 * D**2 + 10 * D), "E": L * (D**2 + D), "G": L * D}
