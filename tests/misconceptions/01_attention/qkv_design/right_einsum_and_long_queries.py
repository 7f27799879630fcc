# expect: accept
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    Q = 3 * torch.einsum("i,j->ij", ud, ua) + torch.einsum("i,j->ij", uc, ud)
    return Q, eye, (o(ub, ub) - o(uc, uc)) / square
