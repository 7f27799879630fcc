# expect: accept
def split_heads(x, heads):
    return torch.stack(x.chunk(heads, dim=2)).transpose(0, 1)


def merge_heads(x):
    B, H, L, d = x.shape
    out = torch.empty(B, L, H * d, dtype=x.dtype)
    for h in range(H):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out
