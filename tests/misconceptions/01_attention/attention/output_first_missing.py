# expect: reject
# hint: return 2 things
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.softmax(K @ q, dim=0) @ V
