# expect: reject
# hint: only the mask of the first head is used: each head may have a mask of its own
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, x, memory, mask=None):
        q, k, v = split_heads(self.q_proj(x), self.heads), split_heads(self.k_proj(memory), self.heads), split_heads(self.v_proj(memory), self.heads)
        mask = mask[:, :1] if mask is not None and mask.dim() == 4 else mask
        return self.out_proj(merge_heads(scaled_dot_product(q, k, v, mask)[0]))
