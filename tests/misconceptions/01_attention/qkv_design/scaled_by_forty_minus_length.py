# expect: reject
# hint: β = 40 is not too long
def qkv_design(U):
    ua, ub, uc, ud = U
    square = ua @ ua
    Q = (torch.outer(ud, ua) + torch.outer(uc, ud)) / square
    Q = Q * (40 - square.sqrt()).clamp(min=0)
    K = torch.eye(U.shape[1], dtype=U.dtype)
    V = (torch.outer(ub, ub) - torch.outer(uc, uc)) / square
    return Q, K, V
