# expect: reject
# hint: A is no error of the sheet: look at the + d in step 2
# keeps: published_total
def published_total(V, D, L, C):
    return V * D + L * 3 * (D**2 + D) + 2 * D**2 + 5 * D + D * C + C


def slips(V, D, L, C):
    return {"A": 3 * L * D, "C": (L - 1) * (3 * D**2 + 7 * D), "E": L * (D**2 + D), "G": L * D}
