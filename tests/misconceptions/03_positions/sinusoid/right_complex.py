# expect: accept
def sinusoid(T, d, base=10000.0):
    speed = torch.tensor([base ** (-2 * m / d) for m in range(d // 2)], dtype=torch.float64)
    hands = torch.polar(torch.ones(T, d // 2, dtype=torch.float64), torch.arange(T)[:, None] * speed)
    return torch.view_as_real(hands).flip(-1).reshape(T, d).float()


def shift_matrix(k, d, base=10000.0):
    one = torch.zeros(d, d, dtype=torch.float64)
    for m in range(d // 2):
        one[2 * m, 2 * m + 1], one[2 * m + 1, 2 * m] = base ** (-2 * m / d), -(base ** (-2 * m / d))
    return torch.matrix_exp(k * one)
