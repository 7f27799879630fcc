# expect: reject
# hint: the scale is √D of the whole model; each head only has D/H dimensions
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, memory, mask=None):
        cut = lambda z: z.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        q, k, v = cut(self.q_proj(x)), cut(self.k_proj(memory)), cut(self.v_proj(memory))
        s = q @ k.mT / x.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        return self.out_proj((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
