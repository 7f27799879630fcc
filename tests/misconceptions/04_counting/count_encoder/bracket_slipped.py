# expect: reject
# hint: L multiplies the whole layer
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return V * D + L * 3 * (D**2 + D) + 3 * D**2 + 7 * D, C * D + C
