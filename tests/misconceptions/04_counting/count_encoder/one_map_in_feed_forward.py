# expect: reject
# hint: a linear map from D to D is missing in every layer: attention has four of them, the feed-forward network two
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return V * D + L * (5 * D**2 + 9 * D), C * D + C
