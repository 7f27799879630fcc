# expect: reject
# hint: return the operations themselves, not millions of them
def vanilla_flops(T, D):
    return (8*T*D*D + 4*T*T*D)/1e6
def synthesizer_flops(T, D):
    return (6*T*D*D + 4*T*T*D)/1e6
