# expect: reject
# hint: shift_matrix ignores the argument base: it need not be 10,000
# keeps: sinusoid
def sinusoid(T, d, base=10000.0):
    p = torch.zeros(T, d)
    for t in range(T):
        for m in range(d // 2):
            w = base ** (-2 * m / d)
            p[t, 2 * m] = math.sin(w * t)
            p[t, 2 * m + 1] = math.cos(w * t)
    return p


def shift_matrix(k, d, base=10000.0):
    blocks = []
    for m in range(d // 2):
        a = k * 10000.0 ** (-2 * m / d)
        blocks.append(torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]))
    return torch.block_diag(*blocks)
