# expect: reject
# hint: softmax and the division by √d are left out of the count
# keeps: synthesizer_flops
def vanilla_flops(T, D):
    return 8*T*D*D + 4*T*T*D + 3*T*T
def synthesizer_flops(T, D):
    return 6*T*D*D + 4*T*T*D
