# expect: reject
# hint: the shape must be (B, L, H·d): the last two axes to join are heads and columns, not positions and columns
# keeps: split_heads
def split_heads(x, heads):
    return torch.stack(x.chunk(heads, 2), 1)
def merge_heads(x):
    B, H, L, d = x.shape
    return x.permute(0, 2, 1, 3).reshape(B, H, L * d)
