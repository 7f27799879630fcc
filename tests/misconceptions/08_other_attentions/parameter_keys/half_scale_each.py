# expect: reject
# hint: the scores are scaled, but scale=1.0 is given to the attention: do not multiply or divide
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    s = (d + 1) ** 0.25
    q = torch.cat([hidden, hidden.new_ones(batch, H, T, 1)], -1)
    k = torch.cat([B[..., :T].mT, b2[:, :T, None]], -1).expand(batch, H, T, d + 1)
    return q * s, k * s
