# expect: reject
# hint: view fails for a tensor that lies in memory in another way, as after a transposition: use reshape or flatten
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    q = torch.cat([hidden.view(batch*H, T, d), hidden.new_ones(batch*H, T, 1)], -1).view(batch, H, T, d+1)
    k = torch.cat([B[..., :T].mT, b2[:, :T, None]], -1).expand(batch, H, T, d + 1)
    return q, k
