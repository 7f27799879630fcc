# expect: accept
def split_heads(x, heads):
    d = x.shape[-1] // heads
    columns = torch.arange(x.shape[-1]).unflatten(0, (heads, d))
    return x[:, :, columns].permute(0, 2, 1, 3)


def merge_heads(x):
    B, H, L, d = x.shape
    which = torch.arange(H * d)
    return x.permute(0, 2, 1, 3)[:, :, which // d, which % d]
