# expect: accept
class EncoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.norm2, self.norm1 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.linear2, self.linear1 = nn.Linear(d_ff, d_model), nn.Linear(d_model, d_ff)
        self.self_attn = MultiHeadAttention(d_model, heads)

    def forward(self, x, source_mask=None):
        for norm, step in (
            (self.norm1, lambda z: self.self_attn(z, z, source_mask)),
            (self.norm2, lambda z: self.linear2(F.relu(self.linear1(z)))),
        ):
            x = norm(x + step(x))
        return x


class DecoderLayer(EncoderLayer):
    def __init__(self, d_model, heads, d_ff):
        super().__init__(d_model, heads, d_ff)
        self.norm3 = nn.LayerNorm(d_model)
        self.cross_attn = MultiHeadAttention(d_model, heads)

    def forward(self, y, memory, source_mask=None):
        n = y.size(1)
        past = torch.arange(n)[:, None] >= torch.arange(n)
        for norm, step in (
            (self.norm1, lambda z: self.self_attn(z, z, past)),
            (self.norm2, lambda z: self.cross_attn(z, memory, source_mask)),
            (self.norm3, lambda z: self.linear2(F.relu(self.linear1(z)))),
        ):
            y = norm(y + step(y))
        return y
