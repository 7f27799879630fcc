# expect: reject
# hint: scores divided by their sum are no softmax: take the exponential of the scores first
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scores = K @ q
    alpha = scores / scores.sum()
    return alpha @ V, alpha
