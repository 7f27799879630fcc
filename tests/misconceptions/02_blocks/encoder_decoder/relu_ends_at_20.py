# expect: reject
# hint: the ReLU keeps all numbers above 0 as they are, also large ones
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x: Tensor, source_mask: Tensor | None = None) -> Tensor:
        x = self.norm1(x + self.self_attn(x, x, source_mask))
        return self.norm2(x + self.linear2(self.linear1(x).clamp(0, 20)))


class DecoderLayer(EncoderLayer):
    """An encoder layer with one more step."""

    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__(d_model, heads, d_ff)
        self.cross_attn = MultiHeadAttention(d_model, heads)
        self.norm3 = nn.LayerNorm(d_model)

    def forward(self, y, memory, source_mask=None):
        place = torch.arange(y.size(1), device=y.device)
        past = (place[None, :] <= place[:, None])[None, None]
        steps = [
            (self.norm1, lambda z: self.self_attn(z, z, past)),
            (self.norm2, lambda z: self.cross_attn(z, memory, source_mask)),
            (self.norm3, lambda z: self.linear2(self.linear1(z).clamp(0, 20))),
        ]
        for norm, step in steps:
            y = norm(torch.add(y, step(y)))
        return y
