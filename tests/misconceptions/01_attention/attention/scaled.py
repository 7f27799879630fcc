# expect: reject
# hint: you divided the scores by √d: this notebook works without that factor
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    alpha = torch.softmax(K @ q / K.shape[1] ** 0.5, dim=0)
    return alpha @ V, alpha
