# expect: reject
# hint: the four linear maps of the attention have biases
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    total = 2 * V * D + T * D + L * (12 * D**2 + 9 * D) + 2 * D
    if variant in ("rope", "relative"):
        total -= T * D
    if variant == "relative":
        total += L * H * T
    if variant == "synthesizer":
        total += L * (D * T + H * T - D * D)
    if variant == "synthesizer_shared":
        total += L * ((D // H + 1) * (T - 1) - D * D)
    return total + (m * D if variant == "perceiver" else 0)
