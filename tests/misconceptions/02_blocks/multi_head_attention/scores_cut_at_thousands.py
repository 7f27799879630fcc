# expect: reject
# hint: scores of thousands are taken as they are too
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, x, memory, mask=None):
        q, k, v = (split_heads(p(t), self.heads) for p, t in ((self.q_proj, x), (self.k_proj, memory), (self.v_proj, memory)))
        s = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).clamp(-5000.0, 5000.0)
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        return self.out_proj(merge_heads(s.softmax(-1) @ v))
