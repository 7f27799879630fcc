# expect: reject
# hint: c_2 is not u_b for other vectors or another β
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    return (o(ub, ua) + o(uc, ud)) / square, eye, (o(ub, ub) - o(uc, uc)) / square
