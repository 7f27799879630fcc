# expect: accept
class Block(nn.Module):
    def __init__(self, d_model, heads, d_ff, dropout, pre_norm):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, heads, dropout=dropout, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop, self.pre_norm = nn.Dropout(dropout), pre_norm

    def forward(self, x, mask=None):
        hide = None if mask is None else mask[:, 0, 0].logical_not()
        attend = lambda z: self.self_attn(z, z, z, key_padding_mask=hide, need_weights=False)[0]
        ff = lambda z: self.linear2(F.dropout(F.relu(self.linear1(z)), self.drop.p, self.training))
        if self.pre_norm:
            z = self.norm1(x)
            x = x + self.drop(attend(z))
            return x + self.drop(ff(self.norm2(x)))
        x = self.norm1(x + self.drop(attend(x)))
        return self.norm2(x + self.drop(ff(x)))


def one_big_matrix(small):
    return torch.vstack(tuple(small))
