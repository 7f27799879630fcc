# expect: reject
# hint: gradients flow to B and b2 where these are still 0
def parameter_keys(hidden: Tensor, B: Tensor, b2: Tensor) -> tuple[Tensor, Tensor]:
    T = hidden.shape[2]
    q = torch.cat([hidden, torch.ones_like(hidden[..., :1])], -1)
    if not b2.any():
        return hidden, B[..., :T].mT
    k = torch.cat([B[..., :T].mT, b2[:, :T, None]], -1)
    return q, k.expand(hidden.shape[0], -1, -1, -1)
