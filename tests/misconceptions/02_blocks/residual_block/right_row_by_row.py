# expect: accept
def one_big_matrix(small):
    return torch.cat(list(small), 0)

class _MHA(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.h = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, x, memory, mask=None):
        q, k, v = (p(t).unflatten(-1, (self.h, -1)).transpose(1, 2) for p, t in ((self.q_proj, x), (self.k_proj, memory), (self.v_proj, memory)))
        return self.out_proj(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2))

class _Base(nn.Module):
    def __init__(self, d_model, heads, d_ff, dropout, pre_norm):
        super().__init__()
        self.self_attn = _MHA(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop, self.rate, self.pre_norm = nn.Dropout(dropout), dropout, pre_norm
    def ff(self, x):
        return self.linear2(self.linear1(x).relu())

class Block(_Base):
    def forward(self, x, mask=None):
        def attn(z):
            return torch.cat([self.self_attn(z[b:b+1], z[b:b+1], None if mask is None else mask[b:b+1]) for b in range(len(z))])
        if self.pre_norm:
            mid = x + self.drop(attn(self.norm1(x)))
            return mid + self.drop(self.ff(self.norm2(mid)))
        mid = self.norm1(x + self.drop(attn(x)))
        return self.norm2(mid + self.drop(self.ff(mid)))
