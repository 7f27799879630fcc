# expect: reject
# hint: s and t are swapped: s goes with u_d and t with u_c
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + t * ud + s * uc, uc + ub])
    C = torch.softmax(X @ X.T, dim=-1) @ X
    return C, U @ C[1] / (ua @ ua)
