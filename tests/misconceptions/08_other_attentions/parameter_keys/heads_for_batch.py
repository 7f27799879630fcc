# expect: reject
# hint: the first axis of B and b2 is the heads, the second axis of hidden, not its batch
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    q = torch.cat([hidden, hidden.new_ones(batch, H, T, 1)], -1)
    k = torch.cat([B[..., :T].mT, b2[:, :T, None]], -1)
    k = k[torch.arange(batch) % H][:, None].expand(batch, H, T, d+1)
    return q, k
