# expect: reject
# hint: the letters are capitals, as in the table
# keeps: published_total
def published_total(V, D, L, C):
    return V * D + L * 3 * (D**2 + D) + 2 * D**2 + 5 * D + D * C + C


def slips(V, D, L, C):
    return {"c": (L - 1) * (3 * D**2 + 7 * D), "e": L * (D**2 + D), "g": L * D}
