# expect: reject
# hint: every weight is 1: the softmax ran over an axis of length one; it must run over the n keys
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scores = K @ q.unsqueeze(-1)  # (n, 1)
    alpha = torch.softmax(scores, dim=-1).squeeze(-1)
    return alpha @ V, alpha
