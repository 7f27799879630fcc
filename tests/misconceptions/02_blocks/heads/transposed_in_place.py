# expect: reject
# hint: transpose_ turns the caller's own tensor: take transpose, without the underscore, which leaves the argument as it is.
# keeps: split_heads
def split_heads(x: Tensor, heads: int) -> Tensor:
    B, L, D = x.shape
    return x.reshape(B, L, heads, D // heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, L, d = x.shape
    return x.transpose_(1, 2).reshape(B, L, H * d)
