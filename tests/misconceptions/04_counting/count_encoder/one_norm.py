# expect: reject
# hint: 2D numbers are missing in each layer: look for the biases of queries, keys and values, for the two layer norms (a gain and a bias each) and for the two biases of the feed-forward network
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of base and head."""
    return V * D + L * (6 * D**2 + 8 * D), C * D + C
