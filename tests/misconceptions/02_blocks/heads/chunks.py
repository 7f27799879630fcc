# expect: accept
def split_heads(x, heads):
    return torch.stack(torch.chunk(x, heads, dim=-1), dim=1)


def merge_heads(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)
