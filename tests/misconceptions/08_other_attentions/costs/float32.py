# expect: reject
# hint: the count is exact: float32 keeps seven digits only, so count in Python's numbers
# keeps: synthesizer_flops
def vanilla_flops(T, D):
    return float(torch.tensor(8.0)*T*D*D + 4.0*T*T*D*torch.tensor(1.0))
def synthesizer_flops(T, D):
    return 6*T*D*D + 4*T*T*D
