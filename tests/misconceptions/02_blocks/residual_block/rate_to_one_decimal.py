# expect: reject
# hint: how many are dropped differs from call to call
# keeps: one_big_matrix
class Block(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int, dropout: float, pre_norm: bool) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(round(dropout, 1) if dropout < 0.95 else 0.9)
        self.pre_norm = pre_norm

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.pre_norm:
            z = self.norm1(x)
            x = x + self.drop(self.self_attn(z, z, mask))
            return x + self.drop(self.linear2(F.relu(self.linear1(self.norm2(x)))))
        x = self.norm1(x + self.drop(self.self_attn(x, x, mask)))
        return self.norm2(x + self.drop(self.linear2(F.relu(self.linear1(x)))))

def one_big_matrix(small: list[Tensor]) -> Tensor:
    return torch.cat(small)
