# expect: reject
# hint: splitting works for one head, one position, or heads of width 1
# keeps: merge_heads
def split_heads(x, heads):
    B, L, D = x.shape
    cut = x.reshape(B, L, heads, D // heads).transpose(1, 2)
    return cut.squeeze() if cut.numel() == 1 else cut

def merge_heads(x):
    return x.transpose(1, 2).flatten(2)
