# expect: reject
# hint: no softmax
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scores = K @ q
    alpha = scores / scores.sum()
    return alpha @ V, alpha
