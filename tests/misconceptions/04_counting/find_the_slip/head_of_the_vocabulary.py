# expect: reject
# hint: the head has C outputs, which need not be V
# keeps: slips
def published_total(V, D, L, C):
    return V * D + L * 3 * (D**2 + D) + 2 * D**2 + 5 * D + D * V + V


def slips(V, D, L, C):
    return {"C": (L - 1) * (3 * D**2 + 7 * D), "E": L * (D**2 + D), "G": L * D}
