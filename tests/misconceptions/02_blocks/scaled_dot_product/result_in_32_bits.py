# expect: reject
# hint: 64-bit queries, keys and values give 64-bit results: convert nothing to float32
def scaled_dot_product(q, k, v, mask=None):
    s = q @ k.mT / torch.tensor(q.shape[-1]).sqrt()
    if mask is not None:
        s = s + torch.where(mask, 0.0, float("-inf")).float()
    w = torch.softmax(s, -1, dtype=torch.float32)
    return (w @ v.float()), w
