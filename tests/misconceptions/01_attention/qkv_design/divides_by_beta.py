# expect: reject
# hint: V is too large by the factor β: divide u uᵀ by β² = uᵀu, not by β
def qkv_design(U):
    ua, ub, uc, ud = U
    square = ub @ ub
    Q = (torch.outer(ud, ua) + torch.outer(uc, ud)) / square
    return Q, torch.eye(U.shape[1]), (torch.outer(ub, ub) - torch.outer(uc, uc)) / ub.norm()
