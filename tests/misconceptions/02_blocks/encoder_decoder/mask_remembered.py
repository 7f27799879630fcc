# expect: reject
# hint: the source mask of an earlier call is kept and used again: a call without a mask hides nothing
# keeps: EncoderLayer
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x: Tensor, source_mask: Tensor | None = None) -> Tensor:
        x = self.norm1(x + self.self_attn(x, x, source_mask))
        return self.norm2(x + self.linear2(F.relu(self.linear1(x))))


class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn, self.cross_attn = MultiHeadAttention(d_model, heads), MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y: Tensor, memory: Tensor, source_mask: Tensor | None = None) -> Tensor:
        if source_mask is not None:
            self.source_mask = source_mask
        elif getattr(self, "source_mask", None) is not None and self.source_mask.shape[-1] == memory.shape[1]:
            source_mask = self.source_mask
        causal = torch.ones(y.shape[1], y.shape[1], dtype=torch.bool).tril()
        y = self.norm1(y + self.self_attn(y, y, causal))
        y = self.norm2(y + self.cross_attn(y, memory, source_mask))
        return self.norm3(y + self.linear2(F.relu(self.linear1(y))))
