# expect: reject
# hint: biases are left out of the count
# keeps: vanilla_flops
def vanilla_flops(T, D):
    return 8*T*D*D + 4*T*T*D
def synthesizer_flops(T, D):
    return 6*T*D*D + 4*T*T*D + 3*T*D
