# expect: reject
# hint: every layer has a B and a b_2 of its own; only the heads of a layer share them
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    total = 2 * V * D + T * D + L * (12 * D**2 + 13 * D) + 2 * D
    if variant in ("rope", "relative"):
        total -= T * D
    if variant == "relative":
        total += L * H * T
    if variant == "synthesizer":
        total += L * (D * T + H * T - D * D - D)
    if variant == "synthesizer_shared":
        total += (D // H + 1) * (T - 1) - L * (D * D + D)
    return total + (m * D if variant == "perceiver" else 0)
