# expect: reject
# hint: without batch_first=True nn.MultiheadAttention takes the first axis for the places
class EncoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, source_mask=None):
        hidden = None if source_mask is None else ~source_mask[:, 0, 0]
        x = self.norm1(x + self.self_attn(x, x, x, key_padding_mask=hidden)[0])
        return self.norm2(x + self.linear2(self.linear1(x).relu()))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, heads)
        self.cross_attn = nn.MultiheadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, source_mask=None):
        future = torch.ones(y.shape[1], y.shape[1], dtype=torch.bool).triu(1)
        hidden = None if source_mask is None else ~source_mask[:, 0, 0]
        y = self.norm1(y + self.self_attn(y, y, y, attn_mask=future)[0])
        y = self.norm2(y + self.cross_attn(y, memory, memory, key_padding_mask=hidden)[0])
        return self.norm3(y + self.linear2(self.linear1(y).relu()))
