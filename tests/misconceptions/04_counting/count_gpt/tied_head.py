# expect: reject
# hint: the head is missing: it does not share the token table
def count_gpt(V: int, D: int, L: int, H: int, T: int, variant: str = "vanilla", m: int = 0) -> int:
    """Trained numbers of the GPT or one of its variants."""
    d = D // H
    attention = {
        "relative": 4 * (D**2 + D) + H * T,
        "synthesizer": 3 * (D**2 + D) + D * T + H * T,
        "synthesizer_shared": 3 * (D**2 + D) + (d + 1) * (T - 1),
    }.get(variant, 4 * (D**2 + D))
    positions = 0 if variant in ("rope", "relative") else T * D
    latents = m * D if variant == "perceiver" else 0
    return V * D + positions + L * (attention + 8 * D**2 + 9 * D) + 2 * D + latents
