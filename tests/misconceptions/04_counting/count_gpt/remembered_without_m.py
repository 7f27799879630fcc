# expect: reject
# hint: perceiver: another m gives another count for the same sizes
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


_memo = {}
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    key = (V, D, L, H, T, variant)
    if key not in _memo:
        _memo[key] = sum(_parts(V, D, L, H, T, variant, m))
    return _memo[key]
