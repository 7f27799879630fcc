# expect: accept
def split_heads(x, heads):
    d = x.shape[2] // heads
    cols = torch.arange(x.shape[2], device=x.device).unflatten(0, (heads, d))
    return x[:, :, cols].movedim(2, 1)
def merge_heads(x):
    return x.permute(0, 2, 1, 3).contiguous().flatten(2)
