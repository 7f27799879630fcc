# expect: reject
# hint: the embedding has V rows, none beside them
def count_encoder(V, D, L, H, C):
    return (V + 1) * D + L * (6 * D**2 + 10 * D), C * D + C
