# expect: accept
def count_encoder(V, D, L, H, C):
    layer = torch.nn.TransformerEncoderLayer(D, H, D, device="meta")
    base = V * D + L * sum(p.numel() for p in layer.parameters())
    return base, sum(p.numel() for p in torch.nn.Linear(D, C, device="meta").parameters())
