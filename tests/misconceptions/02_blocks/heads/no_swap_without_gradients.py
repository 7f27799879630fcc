# expect: reject
# hint: with or without gradients the result is the same: do not ask whether they are kept
# keeps: split_heads
def split_heads(x, heads):
    B, L, D = x.shape
    return x.reshape(B, L, heads, D // heads).transpose(1, 2)


def merge_heads(x):
    B, H, L, d = x.shape
    return x.transpose(1, 2).reshape(B, L, H * d) if torch.is_grad_enabled() else x.reshape(B, L, H * d)
