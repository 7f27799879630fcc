# expect: reject
# hint: the last two axes are exchanged: the shape must be (B, H, L, d)
# keeps: merge_heads
def split_heads(x, heads):
    B, L, D = x.shape
    return x.view(B, L, heads, D // heads).permute(0, 2, 3, 1)


def merge_heads(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)
