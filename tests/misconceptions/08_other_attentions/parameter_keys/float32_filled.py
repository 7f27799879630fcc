# expect: reject
# hint: q and k must keep the type of the input: no float() on the way
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    q = torch.ones(batch, H, T, d + 1)
    q[..., :d] = hidden
    k = torch.zeros(batch, H, T, d + 1)
    k[..., :d] = B[..., :T].mT
    k[..., d] = b2[:, :T]
    return q, k
