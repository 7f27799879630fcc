# expect: reject
# hint: the coordinates need mean 0 and variance 1: draw them with torch.randn, not torch.rand
def cross_variances(dims, draws, rng):
    unit, raw = torch.zeros(len(dims)), torch.zeros(len(dims))
    for i, d in enumerate(dims):
        x = torch.rand(draws, d, generator=rng)
        p = torch.rand(draws, d, generator=rng)
        dots = (x * p).sum(1)
        raw[i] = dots.var()
        unit[i] = (dots / (x.norm(dim=1) * p.norm(dim=1))).var()
    return unit, raw

def log_slope(dims, values):
    import numpy as np
    return float(np.polyfit(np.log(dims), np.log(values.numpy()), 1)[0])
