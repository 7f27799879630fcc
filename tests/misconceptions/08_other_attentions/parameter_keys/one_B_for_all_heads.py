# expect: reject
# hint: one head's B serves all; every head has its own
def parameter_keys(hidden: Tensor, B: Tensor, b2: Tensor) -> tuple[Tensor, Tensor]:
    T = hidden.shape[2]
    q = torch.cat([hidden, torch.ones_like(hidden[..., :1])], -1)
    k = torch.cat([B[:1, :, :T].mT.expand(B.shape[0], -1, -1), b2[:, :T, None]], -1)
    return q, k.expand(hidden.shape[0], -1, -1, -1)
