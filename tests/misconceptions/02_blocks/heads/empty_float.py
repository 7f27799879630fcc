# expect: reject
# hint: make the new tensor with the number type of the input: torch.zeros alone holds 32-bit numbers
# keeps: split_heads
def split_heads(x, heads):
    return torch.stack(x.chunk(heads, 2), 1)
def merge_heads(x):
    B, H, L, d = x.shape
    out = torch.zeros(B, L, H * d)
    for h in range(H):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out
