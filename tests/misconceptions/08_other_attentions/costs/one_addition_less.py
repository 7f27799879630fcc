# expect: reject
# hint: a product of (a × b) and (b × c) is counted as 2abc here: as many additions as multiplications
def mm(a,b,c):
    return a*c*(2*b-1)
def vanilla_flops(T, D):
    return 4*mm(T,D,D)+mm(T,D,T)+mm(T,T,D)
def synthesizer_flops(T, D):
    return 3*mm(T,D,D)+mm(T,D,T)+mm(T,T,D)
