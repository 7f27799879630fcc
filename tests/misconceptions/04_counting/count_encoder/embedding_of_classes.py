# expect: reject
# hint: the embedding has V rows, which need not be C
def count_encoder(V, D, L, H, C):
    return C * D + L * (6 * D**2 + 10 * D), C * D + C
