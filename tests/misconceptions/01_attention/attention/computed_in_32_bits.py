# expect: reject
# hint: 64-bit numbers were computed with in 32 bits, which keep seven digits: keep the type of q, K and V
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    s = (K.float() @ q.float()).to(q.dtype)
    alpha = torch.softmax(s, 0)
    return alpha @ V, alpha
