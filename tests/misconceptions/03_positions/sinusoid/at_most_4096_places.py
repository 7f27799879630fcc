# expect: reject
# hint: T may be any: a table of a fixed length ends too early
# keeps: shift_matrix
def sinusoid(T, d, base=10000.0):
    speeds = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.arange(T, dtype=torch.float64).clamp(max=4095)[:, None] * speeds
    p = torch.zeros(T, d, dtype=torch.float64)
    p[:, 0::2], p[:, 1::2] = angles.sin(), angles.cos()
    return p.float()

def shift_matrix(k, d, base=10000.0):
    speeds = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    R = torch.zeros(d, d, dtype=torch.float64)
    for m, b in enumerate((speeds * k).tolist()):
        c, s = math.cos(b), math.sin(b)
        R[2 * m : 2 * m + 2, 2 * m : 2 * m + 2] = torch.tensor([[c, s], [-s, c]], dtype=torch.float64)
    return R.float()
