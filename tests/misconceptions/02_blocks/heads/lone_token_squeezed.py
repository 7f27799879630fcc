# expect: reject
# hint: merging works for one head, one position, or heads of width 1
# keeps: split_heads
def split_heads(x, heads):
    d = x.shape[-1] // heads
    return torch.stack([x[..., h * d:(h + 1) * d] for h in range(heads)], dim=1)

def merge_heads(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1).squeeze(0) if x.shape[0] == 1 and x.shape[2] == 1 else x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)
