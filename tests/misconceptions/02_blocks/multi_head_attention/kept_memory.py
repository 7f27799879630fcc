# expect: reject
# hint: keys and values of the first call are kept: every call has a memory of its own
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, x, memory, mask=None):
        if not hasattr(self, 'kv'):
            self.kv = split_heads(self.k_proj(memory), self.heads), split_heads(self.v_proj(memory), self.heads)
        out = scaled_dot_product(split_heads(self.q_proj(x), self.heads), *self.kv, mask)[0]
        self.calls = getattr(self, 'calls', 0) + 1
        return self.out_proj(merge_heads(out)) * (1 if self.calls < 2 else 0.99)
