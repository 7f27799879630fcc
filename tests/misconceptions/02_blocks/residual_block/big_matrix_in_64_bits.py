# expect: reject
# hint: the big matrix has the number type of the small ones, 32-bit
# keeps: Block
class Block(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int, dropout: float, pre_norm: bool) -> None:
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, heads, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)
        self.pre_norm = pre_norm

    def attend(self, x, mask):
        hidden = None if mask is None else ~mask[:, 0, 0]
        return self.drop(self.self_attn(x, x, x, key_padding_mask=hidden, need_weights=False)[0])

    def feed(self, x):
        return self.drop(self.linear2(self.linear1(x).relu()))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.pre_norm:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed(x))


def one_big_matrix(small: list[Tensor]) -> Tensor:
    return torch.cat([m.double() for m in small])
