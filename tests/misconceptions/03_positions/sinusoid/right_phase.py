# expect: accept
def sinusoid(T, d, base=10000.0):
    column = torch.arange(d)
    speed = torch.exp(-(column // 2 * 2).double() / d * math.log(base))
    return torch.sin(torch.arange(T)[:, None] * speed + (column % 2) * math.pi / 2)


def shift_matrix(k, d, base=10000.0):
    rows = sinusoid(1, d, base)[0]
    turn = [k * base ** (-2 * m / d) for m in range(d // 2)]
    R = torch.diag(torch.tensor([math.cos(turn[c // 2]) for c in range(d)], dtype=rows.dtype))
    for c in range(0, d, 2):
        R[c, c + 1] = math.sin(turn[c // 2])
        R[c + 1, c] = -R[c, c + 1]
    return R
