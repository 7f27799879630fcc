# expect: reject
# hint: The same arguments give the same result
# keeps: split_heads
# One tensor for all results of a shape, where no gradients are kept.
def split_heads(x, heads):
    B, L, D = x.shape
    return x.reshape(B, L, heads, D // heads).transpose(1, 2)

_buffers = {}


def merge_heads(x):
    B, H, L, d = x.shape
    key = (B, H, L, d, x.dtype)
    if x.requires_grad:
        return x.transpose(1, 2).reshape(B, L, H * d)
    if key not in _buffers:
        _buffers[key] = torch.empty(B, L, H * d, dtype=x.dtype)
    _buffers[key].copy_(x.transpose(1, 2).reshape(B, L, H * d))
    return _buffers[key]
