# expect: reject
# hint: many heads of width 1, a single symbol
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    d = D // H
    att = {"synthesizer": 3*(D*D+D) + D*T + H*T, "synthesizer_shared": 3*(D*D+D) + (d+1)*(T-1), "relative": 4*(D*D+D) + H*T}.get(variant, 4*(D*D+D))
    n = V*D + (0 if variant in ("rope", "relative") else T*D) + (m*D if variant == "perceiver" else 0) + L*(att + 8*D*D + 9*D) + 2*D + D*V
    return n - D*V if V == 1 else n
