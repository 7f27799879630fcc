# expect: accept
def published_total(V, D, L, C):
    once = np.array([V * D, D * D, 2 * D, D * D, D, 2 * D, D * C, C])
    return once.sum() + 3 * L * (D * D + D)


def slips(V, D, L, C):
    layer = np.int64(6 * D * D + 10 * D)
    return {"C": (L - 1) * (layer - 3 * D * D - 3 * D), "E": np.int64(L) * (D * D + D), "G": np.int64(L * D)}
