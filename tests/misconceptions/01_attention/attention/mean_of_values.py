# expect: reject
# hint: c is the sum of α_i v_i
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    alpha = torch.softmax(K @ q, dim=0)
    return V.mean(0), alpha
