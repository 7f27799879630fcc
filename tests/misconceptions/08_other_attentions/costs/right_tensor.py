# expect: accept
def vanilla_flops(T, D):
    return torch.tensor(8*T*D*D + 4*T*T*D)
def synthesizer_flops(T, D):
    return 6*T*D*D + 4*T*T*D
