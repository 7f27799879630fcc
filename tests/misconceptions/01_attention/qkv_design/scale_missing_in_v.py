# expect: reject
# hint: the scale β² is missing in V: u uᵀ multiplies u by β², so divide by it
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    return (o(ud, ua) + o(uc, ud)) / square, eye, o(ub, ub) - o(uc, uc)
