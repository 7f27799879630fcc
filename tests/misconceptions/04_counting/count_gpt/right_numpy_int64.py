# expect: accept
import numpy as np
def _parts(V, D, L, H, T, variant, m):
    d = D // H
    attention = 4 * (D * D + D)
    positions = T * D
    extra = 0
    if variant in ("rope", "relative"):
        positions = 0
    if variant == "relative":
        attention += H * T
    if variant == "synthesizer":
        attention = 3 * (D * D + D) + D * T + H * T
    if variant == "synthesizer_shared":
        attention = 3 * (D * D + D) + (d + 1) * (T - 1)
    if variant == "perceiver":
        extra = m * D
    return V * D, positions, L * (attention + 8 * D * D + 5 * D + 4 * D), 2 * D + D * V, extra


def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    V, D, L, H, T, m = (np.int64(n) for n in (V, D, L, H, T, m))
    return int(sum(_parts(V, D, L, H, T, variant, m)))
