# expect: accept
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.heads = heads

    def forward(self, x, memory, mask=None):
        q = self.q_proj(x).reshape(*x.shape[:2], self.heads, -1)
        k = self.k_proj(memory).reshape(*memory.shape[:2], self.heads, -1)
        v = self.v_proj(memory).reshape(*memory.shape[:2], self.heads, -1)
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), -1e9)
        return self.out_proj(torch.einsum("bhij,bjhd->bihd", scores.softmax(-1), v).reshape(x.shape))
