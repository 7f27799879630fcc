# expect: accept
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    block = 12 * D**2 + 13 * D
    total = L * block + (2 * V + T + 2) * D
    match variant:
        case "rope":
            total -= T * D
        case "relative":
            total += L * H * T - T * D
        case "synthesizer":
            total += L * (-D * D - D + T * (D + H))
        case "synthesizer_shared":
            total += L * (-D * D - D + (T - 1) * (D // H + 1))
        case "perceiver":
            total += m * D
    import numpy as np
    return np.int64(total)
