# expect: accept
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    d = D // H
    linear = [(D, D), (D,)]
    scores = {
        "relative": 2 * linear + [(H, T)],
        "synthesizer": [(H, D, d), (H, d), (H, d, T), (H, T)],
        "synthesizer_shared": [(H, D, d), (H, d), (d, T - 1), (T - 1,)],
    }.get(variant, 2 * linear)
    block = scores + 2 * linear + [(D, 4 * D), (4 * D,), (4 * D, D), (D,)] + 4 * [(D,)]
    shapes = [(V, D), (D,), (D,), (D, V)] + L * block
    shapes += [] if variant in ("rope", "relative") else [(T, D)]
    shapes += [(m, D)] if variant == "perceiver" else []
    return sum(int(np.prod(shape)) for shape in shapes)
