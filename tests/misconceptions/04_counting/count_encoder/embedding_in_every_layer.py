# expect: reject
# hint: the embedding stands once, before the layers
def count_encoder(V, D, L, H, C):
    return L * (V * D + 6 * D**2 + 10 * D), C * D + C
