# expect: accept
def bias_count(T, heads, layers, causal=False, clip=None):
    i = torch.arange(T)
    offsets = i[:, None] - i
    if causal:
        offsets = offsets[offsets >= 0]
    if clip is not None:
        offsets = offsets.clamp(-clip, clip)
    return offsets.unique().numel() * heads * layers
