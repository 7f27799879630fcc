# expect: reject
# hint: take away the largest score itself, not the largest absolute value: where all scores are negative, every exponential becomes 0
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    s = K @ q
    e = torch.exp(s - s.abs().max()); alpha = e / e.sum()
    return alpha @ V, alpha
