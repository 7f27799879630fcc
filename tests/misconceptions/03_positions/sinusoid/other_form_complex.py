# expect: accept
def sinusoid(T, d, base=10000.0):
    w = torch.logspace(0, -(d - 2) / d, d // 2, base=base, dtype=torch.float64)
    z = torch.polar(torch.ones(T, d // 2, dtype=torch.float64), torch.outer(torch.arange(T, dtype=torch.float64), w))
    return torch.stack([z.imag, z.real], -1).flatten(1)


def shift_matrix(k, d, base=10000.0):
    def block(m):
        t = torch.tensor(k * base ** (-2 * m / d), dtype=torch.float64)
        return torch.stack([torch.stack([t.cos(), t.sin()]), torch.stack([-t.sin(), t.cos()])])
    return torch.block_diag(*[block(m) for m in range(d // 2)])
