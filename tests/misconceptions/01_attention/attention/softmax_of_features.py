# expect: reject
# hint: a huge score must take all the weight: the softmax belongs around the n scores k_i · q
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    alpha = torch.softmax(K, dim=0) @ q
    return alpha @ V, alpha
