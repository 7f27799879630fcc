# expect: reject
# hint: the coefficients are computed from the first four coordinates alone, which may say nothing about the u's: use all d of them
def no_projections(U, s, t):
    X = torch.stack([U[3] + U[1], U[0] + s * U[3] + t * U[2], U[2] + U[1]])
    C = torch.softmax(X @ X.T, -1) @ X
    return C, torch.linalg.solve(U.T[:4], C[1][:4])
