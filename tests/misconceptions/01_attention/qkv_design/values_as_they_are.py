# expect: reject
# hint: The identity as V passes u_d on as well: V must keep u_b, turn u_c around and erase u_d.
def qkv_design(U: torch.Tensor):
    ua, ub, uc, ud = U
    b2 = ua @ ua
    Q = (torch.outer(ud, ua) + torch.outer(uc, ud)) / b2
    K = torch.eye(U.shape[1], dtype=U.dtype)
    V = torch.eye(U.shape[1], dtype=U.dtype)
    return Q, K, V
