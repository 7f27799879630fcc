# expect: reject
# hint: the ReLU has acted on hidden already: the keys are the columns of B as they are
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    q = torch.cat([hidden, hidden.new_ones(batch, H, T, 1)], -1)
    k = torch.cat([B[..., :T].mT.relu(), b2[:, :T, None]], -1).expand(batch, H, T, d + 1)
    return q, k
