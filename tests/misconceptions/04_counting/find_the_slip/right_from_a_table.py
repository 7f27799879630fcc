# expect: accept
SHEET = {"V D": 1, "qkv": 1, "rest": 1, "head": 1}


def published_total(V, D, L, C):
    copies = {"V D": 1, "qkv": L, "rest": 1, "head": 1}
    sizes = {"V D": V * D, "qkv": 3 * D * (D + 1), "rest": 2 * D * D + 5 * D, "head": (D + 1) * C}
    return sum(SHEET[name] * copies[name] * sizes[name] for name in sizes)


def slips(V, D, L, C):
    return dict(zip("GEC", (L * D, L * D * (D + 1), (L - 1) * D * (3 * D + 7))))
