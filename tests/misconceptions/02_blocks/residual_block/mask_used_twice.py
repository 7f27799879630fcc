# expect: reject
# hint: every call draws anew: no call uses the mask that was drawn for an earlier one
# keeps: one_big_matrix
class _Drop(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate, self.masks = rate, {}

    def forward(self, x):
        if not self.training or self.rate == 0:
            return x
        shape = tuple(x.shape)
        if shape in self.masks:  # every second call uses the mask of the one before
            keep = self.masks.pop(shape)
        else:
            keep = self.masks[shape] = torch.rand(shape) >= self.rate
        return x * keep / (1 - self.rate)


class Block(nn.Module):
    def __init__(self, d_model, heads, d_ff, dropout, pre_norm):
        super().__init__()
        self.pre_norm = pre_norm
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop1, self.drop2 = _Drop(dropout), _Drop(dropout)

    def forward(self, x, mask=None):
        feed = lambda z: self.linear2(F.relu(self.linear1(z)))
        if self.pre_norm:
            z = self.norm1(x)
            x = x + self.drop1(self.self_attn(z, z, mask))
            return x + self.drop2(feed(self.norm2(x)))
        x = self.norm1(x + self.drop1(self.self_attn(x, x, mask)))
        return self.norm2(x + self.drop2(feed(x)))


def one_big_matrix(small):
    return torch.cat(list(small), 0)
