# expect: reject
# hint: R_k is a matrix (d, d) that acts on one position, not a shift of the places
# keeps: sinusoid
def sinusoid(T, d, base=10000.0):
    angle = torch.arange(T)[:, None] * base ** (-torch.arange(0, d, 2) / d)
    return torch.stack([angle.sin(), angle.cos()], 2).reshape(T, d)


def shift_matrix(k, d, base=10000.0):
    return torch.eye(d).roll(k, 0)
