# expect: reject
# hint: without scaled_dot_product_attention
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scale = 1.0
    c = torch.nn.functional.scaled_dot_product_attention(q[None, None], K[None], V[None], scale=scale)[0, 0]
    return c, torch.softmax(K @ q, dim=0)
