# expect: reject
# hint: every place has its bias, the first one too
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    q = torch.cat([hidden, hidden.new_ones(batch, H, T, 1)], -1)
    b = b2[:, :T].clone()
    b[:, 0] = 0
    k = torch.cat([B[..., :T].mT, b[..., None]], -1).expand(batch, H, T, d+1)
    return q, k
