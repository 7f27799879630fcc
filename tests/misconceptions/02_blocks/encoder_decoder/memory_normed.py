# expect: reject
# hint: the memory goes into the cross-attention as it came: the encoder has normed it
# keeps: EncoderLayer
class EncoderLayer(nn.Module):
    """Post-norm encoder layer: self_attn, norm1, then linear1, ReLU, linear2, norm2."""

    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, source_mask: Tensor | None = None) -> Tensor:
        """x: (B, Ls, D); source_mask: (B, 1, 1, Ls), True at real tokens, or None. Returns (B, Ls, D)."""
        x = self.norm1(x + self.self_attn(x, x, source_mask))
        return self.norm2(x + self.linear2(F.relu(self.linear1(x))))


class DecoderLayer(nn.Module):
    """Post-norm decoder layer: causal self_attn, norm1, cross_attn, norm2, then linear1, ReLU, linear2, norm3."""

    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.cross_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)

    def forward(self, y: Tensor, memory: Tensor, source_mask: Tensor | None = None) -> Tensor:
        """y: (B, Lt, D) the target so far, memory: (B, Ls, D) from the encoder, source_mask as above. Returns (B, Lt, D)."""
        y = self.norm1(y + self.self_attn(y, y, causal_mask(y.shape[1])))
        y = self.norm2(y + self.cross_attn(y, self.norm2(memory), source_mask))
        return self.norm3(y + self.linear2(F.relu(self.linear1(y))))

