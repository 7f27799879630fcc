# expect: accept
class MultiHeadAttention(nn.Module):
    """Each head on its own, its piece of W_O applied at once: the sum is the output."""

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads, self.d = heads, d_model // heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, memory, mask=None):
        B, Lq, _ = x.shape
        Lk = memory.shape[1]
        allowed = torch.ones((), dtype=torch.bool) if mask is None else mask
        allowed = allowed.expand(B, self.heads, Lq, Lk)
        out = self.out_proj.bias
        for h in range(self.heads):
            rows = slice(h * self.d, (h + 1) * self.d)
            q, k, v = (
                F.linear(z, p.weight[rows], p.bias[rows])
                for z, p in ((x, self.q_proj), (memory, self.k_proj), (memory, self.v_proj))
            )
            s = torch.baddbmm(torch.zeros(1, dtype=q.dtype), q, k.mT, beta=0, alpha=self.d**-0.5)
            s = s.masked_fill(~allowed[:, h], -math.inf)
            out = out + s.softmax(-1) @ v @ self.out_proj.weight[:, rows].T
        return out
