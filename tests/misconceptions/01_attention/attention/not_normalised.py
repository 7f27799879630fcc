# expect: reject
# hint: the exponentials still have to be divided by their sum
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scores = K @ q
    alpha = torch.exp(scores)
    return alpha @ V, alpha
