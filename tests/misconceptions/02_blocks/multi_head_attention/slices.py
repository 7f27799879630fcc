# expect: accept
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
    def forward(self, x, memory, mask=None):
        d, parts = x.shape[-1] // self.heads, []
        m = None if mask is None else torch.broadcast_to(mask, (x.shape[0], self.heads, x.shape[1], memory.shape[1]))
        for h in range(self.heads):
            c = slice(h * d, (h + 1) * d)
            q, k, v = self.q_proj(x)[..., c], self.k_proj(memory)[..., c], self.v_proj(memory)[..., c]
            s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(d)
            s = s if m is None else s.masked_fill(~m[:, h], -1e9)
            parts.append(s.softmax(-1) @ v)
        return self.out_proj(torch.cat(parts, -1))
