# expect: reject
# hint: Q and K are swapped
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    return eye, (o(ud, ua) + o(uc, ud)) / square, (o(ub, ub) - o(uc, uc)) / square
