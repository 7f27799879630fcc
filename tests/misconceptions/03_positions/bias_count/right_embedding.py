# expect: accept
def bias_count(T, heads, layers, causal=False, clip=None):
    far = T - 1 if clip is None else min(T - 1, clip)
    table = torch.nn.Embedding(far + 1 if causal else far + 1 + far, heads * layers, device="meta")
    return table.weight.numel()
