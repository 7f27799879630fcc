# expect: reject
# hint: the bias stands in the queries: it must be b2 in the keys and 1 in the queries
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    q = torch.cat([hidden, b2[:, :T, None].expand(batch, H, T, 1)], -1)
    k = torch.cat([B[..., :T].mT, b2.new_ones(H, T, 1)], -1).expand(batch, H, T, d+1)
    return q, k
