# expect: reject
# hint: feed-forward network two
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return V * D + L * (5 * D**2 + 9 * D), C * D + C
