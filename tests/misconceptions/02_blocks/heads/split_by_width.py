# expect: reject
# hint: heads is the number of slices, not the width of one: the shape must be (B, H, L, d)
# keeps: merge_heads
def split_heads(x, heads):
    return torch.stack(x.split(heads, 2), 1)
def merge_heads(x):
    return x.transpose(1, 2).flatten(2)
