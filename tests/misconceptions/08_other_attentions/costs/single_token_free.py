# expect: reject
# hint: a single token costs its products over pairs too: it looks at itself
# keeps: synthesizer_flops
def vanilla_flops(T, D):
    if T == 1: return 8*D*D
    return 8*T*D*D + 4*T*T*D
def synthesizer_flops(T, D):
    return 6*T*D*D + 4*T*T*D
