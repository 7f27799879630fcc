# expect: reject
# hint: there are more keys than tokens: cut B and b2 to the first T places
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    L = B.shape[-1]
    q = F.pad(torch.cat([hidden, hidden.new_ones(batch, H, T, 1)], -1), (0, 0, 0, L - T))
    k = torch.cat([B.mT, b2[..., None]], -1).expand(batch, H, L, d+1)
    return q, k
