# expect: reject
# hint: the result is cut off from its input: a copy by way of lists or numpy carries no gradients
# keeps: split_heads
def split_heads(x, heads):
    return torch.stack(x.chunk(heads, 2), 1)
def merge_heads(x):
    return torch.tensor(x.transpose(1, 2).flatten(2).tolist(), dtype=x.dtype)
