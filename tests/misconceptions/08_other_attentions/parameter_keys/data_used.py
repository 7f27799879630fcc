# expect: reject
# hint: no gradient reaches B and b2: use the tensors themselves, without .data
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    q = torch.cat([hidden, hidden.new_ones(batch, H, T, 1)], -1)
    k = torch.cat([B.data[..., :T].mT, b2.data[:, :T, None]], -1).expand(batch, H, T, d + 1)
    return q, k
