# expect: reject
# hint: q_proj makes the queries and k_proj the keys; you exchanged them
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, x, memory, mask=None):
        q, k, v = (split_heads(p(y), self.heads) for p, y in ((self.k_proj, x), (self.q_proj, memory), (self.v_proj, memory)))
        c = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out_proj(merge_heads(c))
