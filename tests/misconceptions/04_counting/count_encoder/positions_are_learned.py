# expect: reject
# hint: positions are computed here: there is no table of them
def count_encoder(V, D, L, H, C):
    return V * D + 128 * D + L * (6 * D**2 + 10 * D), C * D + C
