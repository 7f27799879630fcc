# expect: reject
# hint: the values are the words themselves, s and t included, as queries and keys are
def no_projections(U, s, t):
    a, b, c, d = U
    X = torch.stack([d + b, a + s * d + t * c, c + b])
    alpha = torch.softmax(X @ X.T, -1)
    C = alpha @ torch.stack([d + b, a, c + b])
    return C, U @ C[1] / (a @ a)
