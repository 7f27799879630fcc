# expect: reject
# hint: a mask with two axes is (Lq, Lk), the same for all sequences: it is no padding mask (B, Lk)
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        B, Lq, D = x.shape
        H = self.heads
        if mask is not None and mask.dim() == 2 and mask.shape == memory.shape[:2]:
            mask = mask[:, None, None, :]

        def cut(z):
            return z.reshape(B, z.shape[1], H, D // H).transpose(1, 2)

        q, k, v = cut(self.q_proj(x)), cut(self.k_proj(memory)), cut(self.v_proj(memory))
        scores = q @ k.transpose(-2, -1) / math.sqrt(D // H)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(-1)
        return self.out_proj((weights @ v).transpose(1, 2).reshape(B, Lq, D))
