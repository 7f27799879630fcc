# expect: accept
def parameter_keys(hidden: Tensor, B: Tensor, b2: Tensor) -> tuple[Tensor, Tensor]:
    T = hidden.shape[2]
    q = torch.cat([hidden.relu(), torch.ones_like(hidden[..., :1])], -1)
    k = torch.cat([B[..., :T].mT, b2[:, :T, None]], -1)
    return q, k.expand(hidden.shape[0], -1, -1, -1)
