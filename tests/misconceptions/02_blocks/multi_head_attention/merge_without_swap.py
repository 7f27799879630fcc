# expect: reject
# hint: swap the axes back before the heads are merged: (B, H, Lq, d) first becomes (B, Lq, H, d)
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, x, memory, mask=None):
        q, k, v = (split_heads(p(y), self.heads) for p, y in ((self.q_proj, x), (self.k_proj, memory), (self.v_proj, memory)))
        c, _ = scaled_dot_product(q, k, v, mask)
        return self.out_proj(c.reshape(x.shape))
