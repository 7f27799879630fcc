# expect: reject
# hint: no axis may be left over
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    alpha = torch.softmax(K @ q.unsqueeze(-1), dim=0)  # (n, 1)
    return alpha.T @ V, alpha
