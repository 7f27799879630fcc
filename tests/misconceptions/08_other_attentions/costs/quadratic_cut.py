# expect: reject
# hint: the pairs are T·T for every length, also for a very long text
# keeps: synthesizer_flops
def vanilla_flops(T, D):
    return 8*T*D*D + 4*T*min(T, 2048)*D
def synthesizer_flops(T, D):
    return 6*T*D*D + 4*T*T*D
