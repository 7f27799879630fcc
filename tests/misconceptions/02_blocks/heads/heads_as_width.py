# expect: reject
# hint: heads is the number of slices, not the width of one: the shape must be (B, H, L, d)
# keeps: merge_heads
def split_heads(x, heads):
    B, L, D = x.shape
    return x.view(B, L, D // heads, heads).transpose(1, 2)


def merge_heads(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)
