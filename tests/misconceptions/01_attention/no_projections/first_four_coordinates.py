# expect: reject
# hint: vectors along axes, whichever these are
def no_projections(U, s, t):
    X = torch.stack([U[3] + U[1], U[0] + s * U[3] + t * U[2], U[2] + U[1]])
    C = torch.softmax(X @ X.T, -1) @ X
    return C, torch.linalg.solve(U.T[:4], C[1][:4])
