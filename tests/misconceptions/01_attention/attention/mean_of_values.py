# expect: reject
# hint: c is the sum of α_i v_i: weigh the values V, not the keys, and by α
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    alpha = torch.softmax(K @ q, dim=0)
    return V.mean(0), alpha
