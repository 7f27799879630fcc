# expect: accept
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x, source_mask=None):
        pad = None if source_mask is None else ~source_mask[:, 0, 0]
        x = self.norm1(x + self.self_attn(x, x, x, key_padding_mask=pad, need_weights=False)[0])
        return self.norm2(x + self.linear2(F.relu(self.linear1(x))))

class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, heads, batch_first=True)
        self.cross_attn = nn.MultiheadAttention(d_model, heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)

    def forward(self, y, memory, source_mask=None):
        pad = None if source_mask is None else ~source_mask[:, 0, 0]
        n = y.shape[1]
        future = nn.Transformer.generate_square_subsequent_mask(n, dtype=y.dtype)
        y = self.norm1(y + self.self_attn(y, y, y, attn_mask=future, need_weights=False)[0])
        y = self.norm2(y + self.cross_attn(y, memory, memory, key_padding_mask=pad, need_weights=False)[0])
        return self.norm3(y + self.linear2(F.relu(self.linear1(y))))
