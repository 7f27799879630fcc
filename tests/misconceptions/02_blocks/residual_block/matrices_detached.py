# expect: reject
# hint: the small matrices are detached, so that no gradient comes back to them
# keeps: Block
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
        if self.pre_norm:
            z = self.norm1(x)
            x = x + self.drop(self.self_attn(z, z, mask))
            return x + self.drop(self.step(self.norm2(x)))
        x = self.norm1(x + self.drop(self.self_attn(x, x, mask)))
        return self.norm2(x + self.drop(self.step(x)))


def one_big_matrix(small):
    return torch.cat([matrix.detach() for matrix in small])
