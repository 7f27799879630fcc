# expect: reject
# hint: the count is exact: do not round a ratio on the way
# keeps: vanilla_flops
def vanilla_flops(T, D):
    return 8*T*D*D + 4*T*T*D
def synthesizer_flops(T, D):
    return round(vanilla_flops(T, D) * round((6*D+4*T)/(8*D+4*T), 4))
