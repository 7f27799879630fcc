# expect: reject
# hint: the product with B gives T × T scores: it is (T × d)·(d × T) in each head, no fourth projection
# keeps: vanilla_flops
def vanilla_flops(T, D):
    return 8*T*D*D + 4*T*T*D
def synthesizer_flops(T, D):
    return 6*T*D*D + 2*T*T*D + 2*T*D*D
