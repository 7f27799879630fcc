# expect: accept
def vanilla_flops(T, D):
    from itertools import chain
    total = 0
    for a, b, e in chain([(T, D, D)]*4, [(T, D, T), (T, T, D)]):
        total += a*b*e + a*b*e
    return total
def synthesizer_flops(T, D):
    return 6*T*D*D + 4*T*T*D
