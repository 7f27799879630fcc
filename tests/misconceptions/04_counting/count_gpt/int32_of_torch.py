# expect: reject
# hint: numbers of 32 bits overflow: the counts of large models need Python's whole numbers or 64 bits
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    V, D, L, H, T, m = torch.tensor([V, D, L, H, T, m], dtype=torch.int32)
    d = D // H
    attention = {
        "relative": 4 * (D**2 + D) + H * T,
        "synthesizer": 3 * (D**2 + D) + D * T + H * T,
        "synthesizer_shared": 3 * (D**2 + D) + (d + 1) * (T - 1),
    }.get(variant, 4 * (D**2 + D))
    positions = 0 if variant in ("rope", "relative") else T * D
    latents = m * D if variant == "perceiver" else 0
    return int(2 * V * D + positions + L * (attention + 8 * D**2 + 9 * D) + 2 * D + latents)
