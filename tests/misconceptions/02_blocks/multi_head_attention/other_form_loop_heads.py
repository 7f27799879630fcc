# expect: accept
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        for name in ("out", "v", "k", "q"):
            setattr(self, name + "_proj", nn.Linear(d_model, d_model))
        self.h = heads

    def forward(self, x, memory, mask=None):
        d = x.shape[-1] // self.h
        q, k, v = self.q_proj(x), self.k_proj(memory), self.v_proj(memory)
        total = self.out_proj.bias.expand(*x.shape)
        for h in range(self.h):
            i = slice(h * d, (h + 1) * d)
            s = torch.einsum("bqd,bkd->bqk", q[..., i], k[..., i]) / math.sqrt(d)
            if mask is not None:
                m = mask.expand(x.shape[0], self.h, x.shape[1], memory.shape[1])[:, h]
                s = torch.where(m, s, -torch.inf)
            total = total + torch.softmax(s, 2) @ v[..., i] @ self.out_proj.weight[:, i].T
        return total
