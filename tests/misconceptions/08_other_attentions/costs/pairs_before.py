# expect: reject
# hint: every pair is counted, also a position with itself and what the mask hides: T·T of them
# keeps: synthesizer_flops
def vanilla_flops(T, D):
    return 8*T*D*D + 4*D*(T*(T-1)//2)
def synthesizer_flops(T, D):
    return 6*T*D*D + 4*T*T*D
