# expect: reject
# hint: C: what stands beside 3(D² + D) in the right layer has biases and norms too, 3D² + 7D in all
# keeps: published_total
def published_total(V, D, L, C):
    return V * D + L * 3 * (D**2 + D) + 2 * D**2 + 5 * D + D * C + C


def slips(V, D, L, C):
    return {"C": (L - 1) * (3 * D**2 + 4 * D), "E": L * (D**2 + D), "G": L * D}
