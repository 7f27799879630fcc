# expect: accept
def sinusoid(T, d, base=10000.0):
    angle = torch.outer(torch.arange(T).float(), torch.exp(torch.arange(0, d, 2).float() * (-math.log(base) / d)))
    return torch.stack([angle.sin(), angle.cos()], dim=2).reshape(T, d)  # (T, d/2, 2) -> (T, d)


def shift_matrix(k, d, base=10000.0):
    blocks = []
    for m in range(d // 2):
        turn = torch.tensor(k / base ** (2 * m / d))
        blocks.append(torch.stack([turn.cos(), turn.sin(), -turn.sin(), turn.cos()]).view(2, 2))
    return torch.block_diag(*blocks)
