# expect: reject
# hint: the mask is upside down: True means that the query may look
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, x, memory, mask=None):
        q, k, v = (split_heads(p(y), self.heads) for p, y in ((self.q_proj, x), (self.k_proj, memory), (self.v_proj, memory)))
        c = F.scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else ~mask)
        return self.out_proj(merge_heads(c))
