# expect: reject
# hint: keys and values must come from the memory, not from x
class MultiHeadAttention(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2) with linear maps q_proj, k_proj, v_proj, out_proj."""

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        """x: (B, Lq, D) asks, memory: (B, Lk, D) answers; mask broadcasts to (B, H, Lq, Lk). Returns (B, Lq, D)."""
        q = split_heads(self.q_proj(x), self.heads)  # (B, Lq, D) -> (B, H, Lq, d)
        k = split_heads(self.k_proj(x), self.heads)  # (B, Lk, D) -> (B, H, Lk, d)
        v = split_heads(self.v_proj(x), self.heads)
        out, _ = scaled_dot_product(q, k, v, mask)
        return self.out_proj(merge_heads(out))  # (B, H, Lq, d) -> (B, Lq, D)
