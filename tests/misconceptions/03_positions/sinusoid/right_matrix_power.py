# expect: accept
def sinusoid(T, d, base=10000.0):
    return torch.tensor([[(math.sin, math.cos)[c % 2](t * base ** (-(c - c % 2) / d)) for c in range(d)] for t in range(T)])

def shift_matrix(k, d, base=10000.0):
    blocks = []
    for m in range(d // 2):
        w = base ** (-2 * m / d)
        blocks.append(torch.tensor([[math.cos(w), math.sin(w)], [-math.sin(w), math.cos(w)]], dtype=torch.float64))
    return torch.linalg.matrix_power(torch.block_diag(*blocks), k)
