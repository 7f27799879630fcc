# expect: accept
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    Q = (o(uc, ua) + o(ud, ud)) / square  # 2 looks at 3, 1 looks at 1
    V = (o(ub, ub) - o(uc, ud)) / square  # u_d turns into -u_c, u_c is lost
    return Q, eye, V
