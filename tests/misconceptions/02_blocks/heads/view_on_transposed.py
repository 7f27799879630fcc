# expect: reject
# hint: the input may lie in memory in any way: strides of your own suppose that it is contiguous
# keeps: merge_heads
def split_heads(x, heads):
    B, L, D = x.shape
    return x.as_strided((B, heads, L, D // heads), (L * D, D // heads, D, 1))
def merge_heads(x):
    return x.transpose(1, 2).flatten(2)
