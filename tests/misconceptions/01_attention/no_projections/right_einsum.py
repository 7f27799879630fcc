# expect: accept
def no_projections(U, s, t):
    mix = torch.tensor([[0, 1, 0, 1], [1, 0, t, s], [0, 1, 1, 0]], dtype=U.dtype)
    X = torch.einsum("wk,kd->wd", mix, U)
    alpha = torch.einsum("id,jd->ij", X, X).softmax(dim=1)
    return torch.einsum("ij,jd->id", alpha, X), alpha[1] @ mix
