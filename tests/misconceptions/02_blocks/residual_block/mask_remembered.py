# expect: reject
# hint: the mask of an earlier call is kept and used again: a call without a mask hides nothing
# keeps: one_big_matrix
class Block(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int, dropout: float, pre_norm: bool) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop, self.pre_norm = nn.Dropout(dropout), pre_norm

    def step(self, z):
        return self.linear2(F.relu(self.linear1(z)))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is not None:
            self.mask = mask
        elif getattr(self, "mask", None) is not None and self.mask.shape[-1] == x.shape[1]:
            mask = self.mask
        if self.pre_norm:
            z = self.norm1(x)
            x = x + self.drop(self.self_attn(z, z, mask))
            return x + self.drop(self.step(self.norm2(x)))
        x = self.norm1(x + self.drop(self.self_attn(x, x, mask)))
        return self.norm2(x + self.drop(self.step(x)))


def one_big_matrix(small: list[Tensor]) -> Tensor:
    return torch.cat(small)
