# expect: reject
# hint: two modules with different numbers of heads live side by side
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        MultiHeadAttention.heads = heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        B, Lq, D = x.shape
        q, k, v = (
            f(z).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for f, z in ((self.q_proj, x), (self.k_proj, memory), (self.v_proj, memory))
        )
        scores = q @ k.mT / math.sqrt(D // self.heads)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        y = scores.softmax(-1) @ v
        return self.out_proj(y.transpose(1, 2).reshape(B, Lq, D))
