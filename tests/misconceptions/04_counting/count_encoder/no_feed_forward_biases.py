# expect: reject
# hint: 2D numbers are missing in each layer: there are two layer norms, each with a gain and a bias, and two biases in the feed-forward network
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return V * D + L * (6 * D**2 + 8 * D), D * C + C
