# expect: accept
def split_heads(x, heads):
    d = x.shape[-1] // heads
    return torch.stack([x[..., h * d : (h + 1) * d] for h in range(heads)], dim=1)


def merge_heads(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)
