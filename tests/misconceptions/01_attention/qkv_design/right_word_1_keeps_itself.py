# expect: accept
def qkv_design(U):
    ua, ub, uc, ud = U
    square = ub @ ub
    Q = (torch.outer(uc, ua) + torch.outer(ud, ud)) / square  # 2 looks at 3, 1 at itself
    V = (torch.outer(ub, ub) - torch.outer(uc, ud)) / square
    return Q, torch.eye(U.shape[1]), V
