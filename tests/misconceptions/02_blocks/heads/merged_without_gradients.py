# expect: reject
# hint: gradients must come back through merge_heads too, whatever x was computed from: detach cuts them off
# keeps: split_heads
def split_heads(x, heads):
    B, L, D = x.shape
    out = torch.empty(B, heads, L, D // heads, dtype=x.dtype)
    for h in range(heads):
        out[:, h] = x[:, :, h * (D // heads):(h + 1) * (D // heads)]
    return out
def merge_heads(x):
    B, H, L, d = x.shape
    out = torch.empty(B, L, H * d, dtype=x.dtype)
    for h in range(H):
        out[:, :, h * d:(h + 1) * d] = x[:, h].detach() if not x.is_leaf and x.dtype == torch.float32 else x[:, h]
    return out
