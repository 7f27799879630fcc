# expect: accept
def qkv_design(U):
    a, b, c, d = U
    Q = torch.outer(d, a) + torch.outer(c, d)
    P = torch.linalg.pinv(U)
    V = torch.outer(b, P[:, 1]) - torch.outer(c, P[:, 2])
    return Q, torch.eye(U.shape[1], dtype=U.dtype), V
