# expect: reject
# hint: first the base, then the head
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return C * D + C, V * D + L * (6 * D**2 + 10 * D)
