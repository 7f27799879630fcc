# expect: reject
# hint: the head has C outputs, which need not be V
def count_encoder(V, D, L, H, C):
    return V * D + L * (6 * D**2 + 10 * D), V * D + V
