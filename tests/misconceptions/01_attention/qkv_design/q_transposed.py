# expect: reject
# hint: Q and K are swapped, or Q is transposed: Q makes the questions (who looks), K the labels (who is found), and u wᵀ sends w to u
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    return (o(ua, ud) + o(ud, uc)) / square, eye, (o(ub, ub) - o(uc, uc)) / square
