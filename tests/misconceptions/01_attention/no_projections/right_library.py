# expect: accept
def no_projections(U, s, t):
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])
    C = torch.nn.functional.scaled_dot_product_attention(X[None], X[None], X[None], scale=1.0)[0]
    return C, torch.einsum("kd,d->k", U, C[1]) / (ub @ ub)
