# expect: reject
# hint: the scores are divided by √d twice
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, x, memory, mask=None):
        q, k, v = split_heads(self.q_proj(x), self.heads), split_heads(self.k_proj(memory), self.heads), split_heads(self.v_proj(memory), self.heads)
        return self.out_proj(merge_heads(scaled_dot_product(q / q.shape[-1] ** 0.5, k, v, mask)[0]))
