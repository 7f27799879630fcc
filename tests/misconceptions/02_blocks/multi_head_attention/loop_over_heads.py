# expect: accept
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads, self.d = heads, d_model // heads
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            self.add_module(name, nn.Linear(d_model, d_model))
        self.register_buffer("scale", torch.tensor(self.d**-0.5))

    def forward(self, x, memory, mask=None):
        q, k, v = self.q_proj(x), self.k_proj(memory), self.v_proj(memory)
        out = []
        for h in range(self.heads):
            part = slice(h * self.d, (h + 1) * self.d)
            scores = q[..., part] @ k[..., part].mT * self.scale
            if mask is not None:
                allowed = mask.expand(x.shape[0], self.heads, *scores.shape[1:])[:, h]
                scores = scores.masked_fill(~allowed, float("-inf"))
            out.append(scores.softmax(-1) @ v[..., part])
        return self.out_proj(torch.cat(out, -1))
