# expect: reject
# hint: biases of attention's four maps
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return V * D + L * (6 * D**2 + 6 * D), D * C + C
