# expect: reject
# hint: many heads of width 1
def count_encoder(V, D, L, H, C):
    d = int(D * (1 / H))
    return V * D + L * (3 * H * (D * d + d) + 3 * (D * D + D) + 4 * D), D * C + C
