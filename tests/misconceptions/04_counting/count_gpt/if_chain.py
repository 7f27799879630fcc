# expect: accept
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    block = 12 * D**2 + 13 * D
    total = V * D + T * D + L * block + 2 * D + D * V
    if variant == "rope":
        total -= T * D
    elif variant == "relative":
        total += L * H * T - T * D
    elif variant == "synthesizer":
        total += L * (H * (D // H * T + T) - D * D - D)
    elif variant == "synthesizer_shared":
        total += L * ((D // H) * (T - 1) + T - 1 - D * D - D)
    elif variant == "perceiver":
        total += m * D
    return total
