# expect: reject
# hint: a linear map from D to D is missing in every layer: attention has four of them, the feed-forward network two
def count_encoder(V, D, L, H, C):
    return V * D + L * (5 * (D**2 + D) + 4 * D), C * D + C
