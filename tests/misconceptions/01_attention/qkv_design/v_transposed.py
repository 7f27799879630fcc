# expect: reject
# hint: a matrix is transposed: u wᵀ sends w to u, and matrices act from the left, q_i = Q x_i
def qkv_design(U):
    ua, ub, uc, ud = U
    o, square, eye = torch.outer, ub @ ub, torch.eye(U.shape[1], dtype=U.dtype)
    Q = (o(uc, ua) + o(ud, ud)) / square
    return Q, eye, (o(ub, ub) - o(ud, uc)) / square
