# expect: reject
# hint: L multiplies the whole layer
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return V * D + 6 * D**2 + 10 * D, C * D + C
