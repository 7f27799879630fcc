# expect: accept
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    with torch.device("meta"):
        total = small_gpt(V, D, L, H, T).n_params()
    if variant in ("rope", "relative"):
        total -= T * D
    if variant == "relative":
        total += L * H * T
    if variant.startswith("synthesizer"):
        heads, width = (1, T - 1) if variant.endswith("shared") else (H, T)
        total += L * (heads * (D // H + 1) * width - D * (D + 1))
    return total + (m * D if variant == "perceiver" else 0)
