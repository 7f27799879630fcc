# expect: reject
# hint: the width inside the feed-forward network is D here, not 2D
def count_encoder(V, D, L, H, C):
    return V * D + L * (4 * (D**2 + D) + 2 * D * D + 2 * D + 2 * D * D + D + 4 * D), C * D + C
