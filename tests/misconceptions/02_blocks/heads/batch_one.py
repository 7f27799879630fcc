# expect: reject
# hint: a head count, a batch or a length of 1 keeps its axis: do not squeeze it away
# keeps: split_heads
def split_heads(x, heads):
    B, L, D = x.shape
    return x.reshape(1, -1, heads, D // heads).transpose(1, 2).reshape(B, heads, L, D // heads) if B == 1 else x.reshape(B, L, heads, D // heads).transpose(1, 2)
def merge_heads(x):
    return x.transpose(1, 2).flatten(2).squeeze(1)
