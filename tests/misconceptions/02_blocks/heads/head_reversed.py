# expect: reject
# hint: the heads come in the wrong order: head 0 owns the first columns
def split_heads(x, heads):
    return torch.stack(x.chunk(heads, 2)[::-1], 1)
def merge_heads(x):
    return torch.cat(list(x.unbind(1))[::-1], -1)
