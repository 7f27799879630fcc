# expect: reject
# hint: the scores differ by too little: a factor β² was divided out once too often in Q or K, so the weights stay spread out
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    return (o(ud, ua) + o(uc, ud)) / square / square, eye, (o(ub, ub) - o(uc, uc)) / square
