# expect: reject
# hint: keys come from the memory, also where it is as long as x
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, x):
        B, L, D = x.shape
        return x.reshape(B, L, self.heads, D // self.heads).transpose(1, 2)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(x if x.shape == memory.shape else memory)), self.split(self.v_proj(memory))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        out = scores.softmax(-1) @ v
        return self.out_proj(out.transpose(1, 2).reshape(x.shape))
