# expect: reject
# hint: two shapes do not fit
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    alpha = torch.softmax(q @ K, dim=0)
    return alpha @ V, alpha
