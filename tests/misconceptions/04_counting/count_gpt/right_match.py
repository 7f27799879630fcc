# expect: accept
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    d, maps, positions, extra, start = D / H, 4, T, 0, 0
    match variant:
        case "rope":
            positions = 0
        case "relative":
            positions, extra = 0, H * T
        case "synthesizer":
            maps, extra = 3, H * (d * T + T)
        case "synthesizer_shared":
            maps, extra = 3, (d + 1) * (T - 1)
        case "perceiver":
            start = m
    block = maps * (D + 1) * D + extra + (D + 1) * 4 * D + (4 * D + 1) * D + 4 * D
    return round((2 * V + positions + start + 2) * D + L * block)
