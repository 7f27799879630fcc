# expect: reject
# hint: a causal model meets T distances, 0 to T − 1
def count_gpt(V: int, D: int, L: int, H: int, T: int, variant: str = "vanilla", m: int = 0) -> int:
    """Trained numbers of the GPT or one of its variants."""
    d = D // H
    attention = {
        "relative": 4 * (D**2 + D) + H * (2 * T - 1),
        "synthesizer": 3 * (D**2 + D) + D * T + H * T,
        "synthesizer_shared": 3 * (D**2 + D) + (d + 1) * (T - 1),
    }.get(variant, 4 * (D**2 + D))
    positions = 0 if variant in ("rope", "relative") else T * D
    latents = m * D if variant == "perceiver" else 0
    return 2 * V * D + positions + L * (attention + 8 * D**2 + 9 * D) + 2 * D + latents
