# expect: reject
# hint: belongs around the n scores
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    alpha = torch.softmax(K, dim=0) @ q
    return alpha @ V, alpha
