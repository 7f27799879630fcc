# expect: reject
# hint: only B and b_2 are shared: every head has an A_i and a b_1 of its own
def count_gpt(V: int, D: int, L: int, H: int, T: int, variant: str = "vanilla", m: int = 0) -> int:
    """Trained numbers of the GPT or one of its variants."""
    d, linear = D // H, D * D + D
    tables = V * D if variant in ("rope", "relative") else V * D + T * D
    attention = 4 * linear
    if variant == "relative":
        attention += H * T
    if variant == "synthesizer":
        attention = 2 * linear + H * (D * d + d + d * T + T)
    if variant == "synthesizer_shared":
        attention = 2 * linear + D * d + d + d * (T - 1) + T - 1
    latents = m * D if variant == "perceiver" else 0
    return tables + L * (attention + 8 * D * D + 5 * D + 4 * D) + 2 * D + D * V + latents
