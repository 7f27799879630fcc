# expect: accept
def rotary_angles(length, d, base=10000.0, device=None):
    rows = [[t * base ** (-2 * m / d) for m in range(d // 2)] for t in range(length)]
    return torch.tensor(rows, device=device)


def apply_rotary(x, angles):
    y = torch.empty_like(x)
    for t in range(x.shape[2]):
        for m in range(x.shape[3] // 2):
            cos, sin = torch.cos(angles[t, m]), torch.sin(angles[t, m])
            a, b = x[:, :, t, 2 * m], x[:, :, t, 2 * m + 1]
            y[:, :, t, 2 * m] = a * cos - b * sin
            y[:, :, t, 2 * m + 1] = a * sin + b * cos
    return y
