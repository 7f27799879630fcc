# expect: reject
# hint: inner width is D here
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return V * D + L * (12 * D**2 + 13 * D), C * D + C
