# expect: reject
# hint: self_attn serves both attentions: the cross-attention has weights of its own
# keeps: EncoderLayer
class EncoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, source_mask=None):
        x = self.norm1(x + self.self_attn(x, x, source_mask))
        return self.norm2(x + self.linear2(F.relu(self.linear1(x))))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.cross_attn = MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, source_mask=None):
        y = self.norm1(y + self.self_attn(y, y, causal_mask(y.shape[1])))
        y = self.norm2(y + self.cross_attn(y, memory, source_mask))
        return self.norm3(y + self.linear2(F.relu(self.linear1(y))))


class DecoderLayer(DecoderLayer):
    def forward(self, y, memory, source_mask=None):
        y = self.norm1(y + self.self_attn(y, y, causal_mask(y.shape[1])))
        y = self.norm2(y + self.self_attn(y, memory, source_mask))
        return self.norm3(y + self.linear2(F.relu(self.linear1(y))))
