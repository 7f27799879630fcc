# expect: accept
def sinusoid(T, d, base=10000.0):
    t = torch.arange(T, dtype=torch.float64).unsqueeze(1)
    column = torch.arange(d)
    angle = t / base ** ((column - column % 2).double() / d)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


def shift_matrix(k, d, base=10000.0):
    p = sinusoid(600 + abs(k), d, base)
    start = max(0, -k)
    return torch.linalg.lstsq(p[start : start + 600], p[start + k : start + k + 600], driver="gelsd").solution.T
