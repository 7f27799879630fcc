# expect: reject
# hint: the numbers keep their type: splitting only moves them
# keeps: merge_heads
def split_heads(x, heads):
    return torch.stack(x.float().chunk(heads, 2), 1)
def merge_heads(x):
    return x.transpose(1, 2).flatten(2)
