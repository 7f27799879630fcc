# expect: reject
# hint: B is changed in place: leave the arguments as they are
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    B.copy_(B - B[..., :1]) if not B.requires_grad else None
    q = torch.cat([hidden, hidden.new_ones(batch, H, T, 1)], -1)
    k = torch.cat([B[..., :T].mT, b2[:, :T, None]], -1).expand(batch, H, T, d + 1)
    return q, k
