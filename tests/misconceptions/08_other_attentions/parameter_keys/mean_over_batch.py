# expect: reject
# hint: every sequence has queries of its own: nothing is averaged over the batch
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    h = hidden.mean(0, keepdim=True).expand(batch, H, T, d)
    q = torch.cat([h, h.new_ones(batch, H, T, 1)], -1)
    k = torch.cat([B[..., :T].mT, b2[:, :T, None]], -1).expand(batch, H, T, d + 1)
    return q, k
