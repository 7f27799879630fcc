# expect: reject
# hint: the dot product of u_a with itself is β², not β: divide by that to get coefficients
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    C = torch.softmax(X @ X.T, dim=-1) @ X
    return C, U @ C[1] / ua.norm()
