# expect: reject
# hint: norm1 stands before the step: the text's layers are post-norm, norm(x + step(x))
# keeps: DecoderLayer
class EncoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, source_mask=None):
        z = self.norm1(x); x = x + self.self_attn(z, z, source_mask)
        return self.norm2(x + self.linear2(F.relu(self.linear1(x))))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attn, self.cross_attn = MultiHeadAttention(d_model, heads), MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, source_mask=None):
        n = y.shape[1]
        causal = torch.ones(n, n, dtype=torch.bool).tril()
        y = self.norm1(y + self.self_attn(y, y, causal))
        y = self.norm2(y + self.cross_attn(y, memory, source_mask))
        return self.norm3(y + self.linear2(F.relu(self.linear1(y))))
