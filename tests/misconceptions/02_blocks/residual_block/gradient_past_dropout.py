# expect: reject
# hint: the gradient goes past the dropout: what is dropped passes none on
# keeps: one_big_matrix
class Block(nn.Module):
    def __init__(self, d_model, heads, d_ff, dropout, pre_norm):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop, self.pre_norm = nn.Dropout(dropout), pre_norm

    def forward(self, x, mask=None):
        self_drop = lambda z: z + (F.dropout(z, self.drop.p, self.training) - z).detach()
        ff = lambda z: self.linear2(F.relu(self.linear1(z)))
        if self.pre_norm:
            z = self.norm1(x)
            x = x + self_drop(self.self_attn(z, z, mask))
            return x + self_drop(ff(self.norm2(x)))
        x = self.norm1(x + self_drop(self.self_attn(x, x, mask)))
        return self.norm2(x + self_drop(ff(x)))


def one_big_matrix(small):
    return torch.cat(small, 0)
