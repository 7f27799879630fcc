# expect: reject
# hint: one of the two products over pairs, T × T, is missing in synthesizer_flops
def vanilla_flops(T, D):
    return 8*T*D*D + 4*T*T*D
def synthesizer_flops(T, D):
    return 6*T*D*D + 2*T*T*D + 2*T*D*D
