# expect: accept
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    K = (o(ua, ud) + o(ud, uc)) / square  # word 1 answers to u_a, word 3 to u_d
    return eye, K, (o(ub, ub) - o(uc, uc)) / square
