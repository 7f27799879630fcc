# expect: reject
# hint: each call uses the weights that stand there now: nothing made from them is kept
class MultiHeadAttention(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2) with linear maps q_proj, k_proj,
    v_proj, out_proj."""

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        """x: (B, Lq, D) asks, memory: (B, Lk, D) answers; mask broadcasts to (B, H, Lq, Lk).
        Returns (B, Lq, D)."""
        maps = self.q_proj, self.k_proj, self.v_proj
        if self.training or torch.is_grad_enabled():
            joined = torch.cat([m.weight for m in maps]), torch.cat([m.bias for m in maps])
        else:
            if not hasattr(self, "joined"):
                self.joined = torch.cat([m.weight for m in maps]), torch.cat([m.bias for m in maps])
            joined = self.joined
        (qw, kw, vw), (qb, kb, vb) = joined[0].chunk(3), joined[1].chunk(3)
        q = split_heads(F.linear(x, qw, qb), self.heads)  # (B, Lq, D) -> (B, H, Lq, d)
        k = split_heads(F.linear(memory, kw, kb), self.heads)  # (B, Lk, D) -> (B, H, Lk, d)
        v = split_heads(F.linear(memory, vw, vb), self.heads)
        out, _ = scaled_dot_product(q, k, v, mask)
        return self.out_proj(merge_heads(out))  # (B, H, Lq, d) -> (B, Lq, D)
