# expect: reject
# hint: b2 belongs to the scores in a block as long as the text, too
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    q = torch.cat([hidden, hidden.new_ones(batch, H, T, 1)], -1)
    k = torch.cat([B[..., :T].mT, (b2[:, :T] if b2.shape[1] > T else 0 * b2)[..., None]], -1).expand(batch, H, T, d + 1)
    return q, k
