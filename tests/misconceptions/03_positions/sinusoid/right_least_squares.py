# expect: accept
def sinusoid(T, d, base=10000.0):
    t = torch.arange(T, dtype=torch.float64).unsqueeze(1)
    column = torch.arange(d)
    angle = t / base ** ((column - column % 2).double() / d)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


def shift_matrix(k, d, base=10000.0):
    p, start = sinusoid(600 + abs(k), d, base), max(0, -k)
    matrix = torch.zeros(d, d, dtype=torch.float64)
    for j in range(0, d, 2):  # one frequency at a time: all together are nearly dependent
        pair = p[:, j : j + 2]  # (600 + |k|, 2)
        fit = torch.linalg.lstsq(pair[start : start + 600], pair[start + k : start + k + 600], driver="gelsd")
        matrix[j : j + 2, j : j + 2] = fit.solution.T
    return matrix
