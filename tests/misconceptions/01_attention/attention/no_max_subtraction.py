# expect: reject
# hint: large scores overflow: subtract the largest score before the exponential
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    powers = torch.exp(K @ q)
    alpha = powers / powers.sum()
    return alpha @ V, alpha
