# expect: reject
# hint: every entry is dropped or kept on its own, also those of a single token
# keeps: one_big_matrix
class Block(nn.Module):
    def __init__(self, d_model, heads, d_ff, dropout, pre_norm):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)
        self.pre_norm, self.heads, self.d_ff, self.d_model = pre_norm, heads, d_ff, d_model

    def forward(self, x, mask=None):
        B, L, D = x.shape

        def drop(z):
            return self.drop(z) if B * L > 1 else z * (torch.rand(()) >= self.drop.p) / (1 - self.drop.p) if self.training else z

        def feed(z):
            return self.linear2(F.relu(self.linear1(z)))

        if self.pre_norm:
            z = self.norm1(x)
            x = x + drop(self.self_attn(z, z, mask))
            return x + drop(feed(self.norm2(x)))
        x = self.norm1(x + drop(self.self_attn(x, x, mask)))
        return self.norm2(x + drop(feed(x)))


def one_big_matrix(small):
    return torch.cat(small, dim=0)
