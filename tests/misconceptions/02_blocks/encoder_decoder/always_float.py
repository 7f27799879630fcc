# expect: reject
# hint: 64-bit arguments give a 32-bit result: no step may fix the number type
# keeps: DecoderLayer
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x: Tensor, source_mask: Tensor | None = None) -> Tensor:
        x = self.norm1(x + self.self_attn(x, x, source_mask))
        return self.norm2(x + self.linear2(F.relu(self.linear1(x)))).float()


class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn, self.cross_attn = MultiHeadAttention(d_model, heads), MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y: Tensor, memory: Tensor, source_mask: Tensor | None = None) -> Tensor:
        causal = torch.ones(y.shape[1], y.shape[1], dtype=torch.bool).tril()
        y = self.norm1(y + self.self_attn(y, y, causal))
        y = self.norm2(y + self.cross_attn(y, memory, source_mask))
        return self.norm3(y + self.linear2(F.relu(self.linear1(y))))
