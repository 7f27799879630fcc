# expect: reject
# hint: a place of the source may hold zeros
# keeps: DecoderLayer
class _Att(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, memory, mask=None):
        q, k, v = (p(y).unflatten(-1, (self.heads, -1)).transpose(1, 2) for p, y in ((self.q_proj, x), (self.k_proj, memory), (self.v_proj, memory)))
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(~mask, -torch.inf)
        return self.out_proj((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attn = _Att(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x, source_mask=None):
        if source_mask is None:
            zero = (x == 0).all(-1)
            source_mask = (~zero | zero.all(1, keepdim=True))[:, None, None]
        x = self.norm1(x + self.self_attn(x, x, source_mask))
        return self.norm2(x + self.linear2(F.relu(self.linear1(x))))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attn = _Att(d_model, heads)
        self.cross_attn = _Att(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)

    def forward(self, y, memory, source_mask=None):
        T = y.shape[1]
        causal = torch.ones(T, T, dtype=torch.bool).tril()
        y = self.norm1(y + self.self_attn(y, y, causal))
        y = self.norm2(y + self.cross_attn(y, memory, source_mask))
        return self.norm3(y + self.linear2(self.linear1(y).relu()))
