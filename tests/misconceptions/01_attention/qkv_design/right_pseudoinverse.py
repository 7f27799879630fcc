# expect: accept
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    zero = torch.zeros_like(ua)
    back = torch.linalg.pinv(U.T)  # (4, d): coordinates in the u's
    Q = torch.stack([ud, zero, zero, uc], 1) @ back
    V = torch.stack([zero, ub, -uc, zero], 1) @ back
    return Q, eye, V
