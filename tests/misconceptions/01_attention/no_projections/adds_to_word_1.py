# expect: reject
# hint: s u_d must be added to word 2, x_2 = u_a + s u_d + t u_c
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([(1 + s) * ud + ub, ua + t * uc, uc + ub])
    C = torch.softmax(X @ X.T, dim=-1) @ X
    return C, U @ C[1] / (ua @ ua)
