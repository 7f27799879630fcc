# expect: accept
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    alpha = torch.softmax(K @ q, dim=0)
    return alpha @ V, alpha
