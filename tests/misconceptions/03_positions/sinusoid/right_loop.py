# expect: accept
def sinusoid(T, d, base=10000.0):
    return torch.tensor(
        [
            [(math.sin, math.cos)[c % 2](t / base ** ((c - c % 2) / d)) for c in range(d)]
            for t in range(T)
        ]
    )


def shift_matrix(k, d, base=10000.0):
    rows = [[0.0] * d for _ in range(d)]
    for c in range(d):
        b = k / base ** ((c - c % 2) / d)
        rows[c][c] = math.cos(b)
        rows[c][c ^ 1] = math.sin(b) if c % 2 == 0 else -math.sin(b)
    return torch.tensor(rows)
