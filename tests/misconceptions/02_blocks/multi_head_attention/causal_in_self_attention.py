# expect: reject
# hint: where x and memory are one tensor, the future is hidden: only the mask hides keys
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
        if memory is x:
            past = torch.ones(Lq, Lq, dtype=torch.bool).tril()
            mask = past if mask is None else mask & past

        def cut(z):
            return z.reshape(B, z.shape[1], H, D // H).transpose(1, 2)

        q, k, v = cut(self.q_proj(x)), cut(self.k_proj(memory)), cut(self.v_proj(memory))
        scores = q @ k.transpose(-2, -1) / math.sqrt(D // H)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(-1)
        return self.out_proj((weights @ v).transpose(1, 2).reshape(B, Lq, D))
