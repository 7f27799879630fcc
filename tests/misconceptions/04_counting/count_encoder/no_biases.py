# expect: reject
# hint: the biases of the linear maps are missing
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return V * D + L * (6 * D**2 + 4 * D), C * D + C
