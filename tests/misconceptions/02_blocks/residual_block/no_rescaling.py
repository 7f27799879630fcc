# expect: reject
# hint: kept entries are divided by 1 − p, so that the mean stays; dropout acts before the addition
# keeps: one_big_matrix
class Block(nn.Module):
    """Encoder block with residuals and dropout: self_attn, linear1, ReLU, linear2, norm1, norm2; pre- or post-norm."""

    def __init__(self, d_model: int, heads: int, d_ff: int, dropout: float, pre_norm: bool) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = lambda z: z * (torch.rand_like(z) >= dropout) if self.training else z
        self.pre_norm = pre_norm

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """x: (B, L, D), mask as in MultiHeadAttention. Returns (B, L, D)."""

        def feed(z: Tensor) -> Tensor:
            return self.linear2(F.relu(self.linear1(z)))

        if self.pre_norm:
            z = self.norm1(x)
            x = x + self.drop(self.self_attn(z, z, mask))
            return x + self.drop(feed(self.norm2(x)))
        x = self.norm1(x + self.drop(self.self_attn(x, x, mask)))
        return self.norm2(x + self.drop(feed(x)))


def one_big_matrix(small: list[Tensor]) -> Tensor:
    """H matrices of shape (d, D) -> one of shape (H·d, D) that does the work of all heads at once."""
    return torch.cat(small, dim=0)  # H times (d, D) -> (H·d, D)
