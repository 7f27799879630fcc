# expect: reject
# hint: the heads stand behind the positions: the shape must be (B, H, L, d)
# keeps: merge_heads
def split_heads(x: Tensor, heads: int) -> Tensor:
    """(B, L, D) -> (B, H, L, D/H): head h sees the columns [h·d, (h+1)·d)."""
    B, L, D = x.shape
    return x.view(B, L, heads, D // heads)  # (B, L, D) -> (B, L, H, d) -> (B, H, L, d)


def merge_heads(x: Tensor) -> Tensor:
    """(B, H, L, d) -> (B, L, H·d), the inverse of split_heads."""
    B, H, L, d = x.shape
    return x.transpose(1, 2).reshape(B, L, H * d)  # (B, H, L, d) -> (B, L, H, d) -> (B, L, D)
