# expect: reject
# hint: in evaluation, without dropout
# keeps: one_big_matrix
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


class Block(nn.Module):
    def __init__(self, d_model, heads, d_ff, dropout, pre_norm):
        super().__init__()
        self.self_attn = _Att(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout) if dropout <= 0.6 else (lambda h: F.dropout(h, dropout, True))
        self.rate = dropout
        self.pre = pre_norm

    def ff(self, x):
        return self.linear2(F.relu(self.linear1(x)))

    def forward(self, x, mask=None):
        if self.pre:
            z = self.norm1(x)
            x = x + self.drop(self.self_attn(z, z, mask))
            return x + self.drop(self.ff(self.norm2(x)))
        x = self.norm1(x + self.drop(self.self_attn(x, x, mask)))
        return self.norm2(x + self.drop(self.ff(x)))


def one_big_matrix(small):
    return torch.cat(small, 0)
