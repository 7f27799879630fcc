# expect: reject
# hint: exactly a share of all entries is dropped in each call: each entry has a chance of its own, so their number varies
# keeps: one_big_matrix
class Block(nn.Module):
    def __init__(self, d_model, heads, d_ff, dropout, pre_norm):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop, self.pre_norm = nn.Dropout(dropout), pre_norm

    def forward(self, x, mask=None):
        def self_drop(z):
            if not self.training: return z
            p = self.drop.p; n = z.numel(); k = round(n * p)
            m = torch.ones(n, dtype=z.dtype); m[torch.randperm(n)[:k]] = 0
            return z * m.view(z.shape) / (1 - p)
        ff = lambda z: self.linear2(F.relu(self.linear1(z)))
        if self.pre_norm:
            z = self.norm1(x)
            x = x + self_drop(self.self_attn(z, z, mask))
            return x + self_drop(ff(self.norm2(x)))
        x = self.norm1(x + self_drop(self.self_attn(x, x, mask)))
        return self.norm2(x + self_drop(ff(x)))


def one_big_matrix(small):
    return torch.cat(small, 0)
