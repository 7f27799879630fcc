# expect: reject
# hint: the scale is 1 here: there is no root to undo
def parameter_keys(hidden: Tensor, B: Tensor, b2: Tensor) -> tuple[Tensor, Tensor]:
    T = hidden.shape[2]
    q = torch.cat([hidden, torch.ones_like(hidden[..., :1])], -1)
    k = torch.cat([B[..., :T].mT, b2[:, :T, None]], -1)
    return q * math.sqrt(hidden.shape[-1]), k.expand(hidden.shape[0], -1, -1, -1)
