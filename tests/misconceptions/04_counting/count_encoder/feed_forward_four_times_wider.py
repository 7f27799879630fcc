# expect: reject
# hint: the feed-forward network's inner width is D here, not 4D
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return V * D + L * (12 * D**2 + 13 * D), C * D + C
