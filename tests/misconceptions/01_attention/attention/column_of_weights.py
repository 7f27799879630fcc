# expect: reject
# hint: alpha needs one weight per key, shape (n,): the softmax must run over the n keys, and no axis may be left over
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    alpha = torch.softmax(K @ q.unsqueeze(-1), dim=0)  # (n, 1)
    return alpha.T @ V, alpha
