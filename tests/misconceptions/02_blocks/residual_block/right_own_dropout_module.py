# expect: accept
class _Drop(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def forward(self, x):
        if not self.training or self.rate == 0:
            return x
        return torch.where(torch.rand_like(x) < self.rate, torch.zeros((), dtype=x.dtype), x / (1 - self.rate))


class Block(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int, dropout: float, pre_norm: bool) -> None:
        super().__init__()
        self.pre_norm = pre_norm
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drops = nn.ModuleList([_Drop(dropout), _Drop(dropout)])

    def forward(self, x, mask=None):
        for i, norm in enumerate((self.norm1, self.norm2)):
            z = norm(x) if self.pre_norm else x
            z = self.self_attn(z, z, mask) if i == 0 else self.linear2(F.relu(self.linear1(z)))
            x = x + self.drops[i](z)
            x = x if self.pre_norm else norm(x)
        return x


def one_big_matrix(small):
    return torch.einsum("hrc->hrc", torch.stack(small)).reshape(-1, small[0].shape[1])
