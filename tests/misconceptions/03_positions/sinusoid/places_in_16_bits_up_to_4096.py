# expect: reject
# hint: numbers of 16 bits cannot count beyond 2,048: take 32 bits or more for the places of any T
# keeps: shift_matrix
def shift_matrix(k, d, base=10000.0):
    w = float(base) ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    c, s = (k * w).cos(), (k * w).sin()
    R = torch.zeros(d, d, dtype=torch.float64)
    i = torch.arange(0, d, 2)
    R[i, i], R[i, i + 1], R[i + 1, i], R[i + 1, i + 1] = c, s, -s, c
    return R.float()

def _good(T, d, base=10000.0):
    w = float(base) ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    a = torch.arange(T, dtype=torch.float64)[:, None] * w
    return torch.stack([a.sin(), a.cos()], -1).flatten(1).float()


def sinusoid(T, d, base=10000.0):
    w = float(base) ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    t = torch.linspace(0, T - 1, T, dtype=torch.float16).double() if T <= 4096 else torch.arange(T).double()
    a = t[:, None] * w
    return torch.stack([a.sin(), a.cos()], -1).flatten(1).float()
