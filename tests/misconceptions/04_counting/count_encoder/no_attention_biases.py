# expect: reject
# hint: 4D numbers are missing in each layer: either the layer norms are missing (two, each with a gain and a bias), or the biases of attention's four maps
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return V * D + L * (6 * D**2 + 6 * D), D * C + C
