# expect: reject
# hint: cut B and b2 to T places, the number of tokens, not to d
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    q = torch.cat([hidden, hidden.new_ones(batch, H, T, 1)], -1)
    k = torch.cat([B[..., :d].mT, b2[:, :d, None]], -1)
    k = torch.cat([k, k.new_zeros(H, max(T - d, 0), d + 1)], 1)[:, :T].expand(batch, H, T, d+1)
    return q, k
