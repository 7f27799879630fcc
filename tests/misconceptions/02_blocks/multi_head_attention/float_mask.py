# expect: reject
# hint: a mask of floats is added to the scores: keep it boolean
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, x, memory, mask=None):
        q, k, v = split_heads(self.q_proj(x), self.heads), split_heads(self.k_proj(memory), self.heads), split_heads(self.v_proj(memory), self.heads)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else mask.float())
        return self.out_proj(merge_heads(out))
