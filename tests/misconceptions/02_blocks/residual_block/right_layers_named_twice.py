# expect: accept
class Block(nn.Module):
    def __init__(self, d_model: int, heads: int, d_ff: int, dropout: float, pre_norm: bool) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.rate = float(dropout)
        self.net = nn.Sequential(self.linear1, nn.ReLU(), self.linear2)
        self.pre_norm = pre_norm

    def forward(self, x, mask=None):
        def drop(h):
            if not self.training:
                return h
            keep = torch.bernoulli(torch.full_like(h, 1 - self.rate))
            return h * keep / (1 - self.rate)

        if self.pre_norm:
            z = self.norm1(x)
            x = torch.add(x, drop(self.self_attn(z, z, mask)))
            return torch.add(x, drop(self.net(self.norm2(x))))
        x = self.norm1(torch.add(x, drop(self.self_attn(x, x, mask))))
        return self.norm2(torch.add(x, drop(self.net(x))))

def one_big_matrix(small):
    big = small[0]
    for matrix in small[1:]:
        big = torch.cat((big, matrix), dim=0)
    return big
