# expect: reject
# hint: The identity as V passes u_d on as well: V must keep u_b, turn u_c around and erase u_d.
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    return (o(ud, ua) + o(uc, ud)) / square, eye, eye
