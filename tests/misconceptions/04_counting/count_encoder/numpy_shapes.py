# expect: accept
def count_encoder(V, D, L, H, C):
    shapes = [(3 * D, D), (3 * D,), (D, D), (D,), (D, D), (D,), (D, D), (D,), (D,), (D,), (D,), (D,)]
    layer = sum(int(np.prod(shape)) for shape in shapes)
    return float(V * D + L * layer), float(C * (D + 1))
