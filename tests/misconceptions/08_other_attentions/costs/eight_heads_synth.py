# expect: reject
# hint: the number of heads is no argument: H heads of width D/H cost the same as one of width D, for every D
# keeps: vanilla_flops
def vanilla_flops(T, D):
    return 8*T*D*D + 4*T*T*D
def synthesizer_flops(T, D):
    d = D // 4
    return 6*T*D*D + 4*(2*T*T*d) + 2*T*T*D
