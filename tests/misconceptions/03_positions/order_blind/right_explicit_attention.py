# expect: accept
def order_gap(X, P, W_q, W_k, W_v, order):
    def layer(Z):
        scores = torch.einsum("id,jd->ij", Z @ W_q, Z @ W_k) / W_q.shape[1] ** 0.5
        return torch.softmax(scores, dim=1) @ Z @ W_v

    return torch.dist(layer(X[order] + P), layer(X + P)[order], p=float("inf"))
