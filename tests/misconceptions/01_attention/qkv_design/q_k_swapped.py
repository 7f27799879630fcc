# expect: reject
# hint: Q and K are swapped, or Q is transposed: Q makes the questions (who looks), K the labels (who is found), and u wᵀ sends w to u
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    return eye, (o(ud, ua) + o(uc, ud)) / square, (o(ub, ub) - o(uc, uc)) / square
