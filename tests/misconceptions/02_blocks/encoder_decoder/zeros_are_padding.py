# expect: reject
# hint: a place of the memory may hold zeros
# keeps: EncoderLayer
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, source_mask: Tensor | None = None) -> Tensor:
        x = self.norm1(x + self.self_attn(x, x, source_mask))
        return self.norm2(x + self.linear2(F.relu(self.linear1(x))))

class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.cross_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)

    def forward(self, y: Tensor, memory: Tensor, source_mask: Tensor | None = None) -> Tensor:
        n = y.shape[1]
        causal = torch.ones(n, n, dtype=torch.bool, device=y.device).tril()
        y = self.norm1(y + self.self_attn(y, y, causal))
        if source_mask is None:
            source_mask = (memory.abs().sum(-1) > 0)[:, None, None, :]
            source_mask = source_mask | ~source_mask.any(-1, keepdim=True)
        y = self.norm2(y + self.cross_attn(y, memory, source_mask))
        return self.norm3(y + self.linear2(F.relu(self.linear1(y))))
