# expect: accept
def parameter_keys(hidden, B, b2):
    batch, H, T, d = hidden.shape
    one = hidden.new_ones(batch, H, T, 2)
    q = torch.cat([one, hidden], -1)
    b = b2[:, None, :T].mT
    k = torch.cat([b / 2, b / 2, B[:, :, :T].permute(0, 2, 1)], -1).unsqueeze(0).repeat(batch, 1, 1, 1)
    return q, k
