# expect: accept
def split_heads(x, heads):
    return torch.stack([torch.stack([row.view(-1, heads, row.shape[-1] // heads)[:, h] if row.is_contiguous() else row.reshape(row.shape[0], heads, -1)[:, h] for h in range(heads)]) for row in x])
def merge_heads(x):
    return torch.stack([torch.hstack(list(row)) for row in x])
