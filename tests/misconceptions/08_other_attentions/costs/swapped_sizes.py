# expect: reject
# hint: T and D stand the wrong way round: a projection is (T × D)·(D × D), which takes 2TD²
# keeps: synthesizer_flops
def vanilla_flops(T, D):
    return 8*D*T*T + 4*D*D*T
def synthesizer_flops(T, D):
    return 6*T*D*D + 4*T*T*D
