# expect: reject
# hint: all random numbers come from rng: the same generator gives the same result
# keeps: log_slope
def cross_variances(dims, draws, rng):
    unit, raw = torch.zeros(len(dims)), torch.zeros(len(dims))
    for i, d in enumerate(dims):
        x = torch.randn(draws, d)
        p = torch.randn(draws, d)
        dots = (x * p).sum(1)
        raw[i] = dots.var()
        unit[i] = (dots / (x.norm(dim=1) * p.norm(dim=1))).var()
    return unit, raw

def log_slope(dims, values):
    import numpy as np
    return float(np.polyfit(np.log(dims), np.log(values.numpy()), 1)[0])
