# expect: reject
# hint: the number of heads is no argument: H heads of width D/H cost the same as one of width D, for every D
# keeps: synthesizer_flops
def vanilla_flops(T, D):
    d = D // 8
    return 8*T*D*D + 8*4*T*T*d
def synthesizer_flops(T, D):
    return 6*T*D*D + 4*T*T*D
