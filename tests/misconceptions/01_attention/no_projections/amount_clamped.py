# expect: reject
# hint: s and t may be any numbers: do not clamp them
def no_projections(U, s, t):
    a, b, c, d = U; s = max(-5.0, min(5.0, s))
    X = torch.stack([d + b, a + s * d + t * c, c + b])
    alpha = torch.softmax(X @ X.T, -1)
    C = alpha @ X
    return C, U @ C[1] / (a @ a)
