# expect: reject
# hint: heads of width D // H: H of them together are as wide as D, each map has D columns
def count_encoder(V, D, L, H, C):
    d = D // H
    layer = 3 * (D * d + d) + D * D + D + 2 * (D * D + D) + 4 * D
    return V * D + L * layer, C * D + C
