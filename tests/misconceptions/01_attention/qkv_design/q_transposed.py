# expect: reject
# hint: Q is transposed
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    return (o(ua, ud) + o(ud, uc)) / square, eye, (o(ub, ub) - o(uc, uc)) / square
