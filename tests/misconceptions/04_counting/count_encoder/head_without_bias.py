# expect: reject
# hint: the head's bias is missing
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return V * D + L * (6 * D**2 + 10 * D), C * D
