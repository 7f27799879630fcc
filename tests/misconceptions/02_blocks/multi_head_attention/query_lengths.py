# expect: reject
# hint: the memory may be longer or shorter than x: take its length from the memory
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, x, memory, mask=None):
        B, L, D = x.shape
        q, k, v = (p(y).view(B, L, self.heads, -1).transpose(1, 2) for p, y in ((self.q_proj, x), (self.k_proj, memory), (self.v_proj, memory)))
        return self.out_proj(merge_heads(scaled_dot_product(q, k, v, mask)[0]))
