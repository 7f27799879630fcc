# expect: reject
# hint: norm2 is not used: both steps have a norm
# keeps: one_big_matrix
class Block(nn.Module):
    def __init__(self, d_model, heads, d_ff, dropout, pre_norm):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, heads, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop, self.pre = nn.Dropout(dropout), pre_norm

    def attend(self, z, mask):
        if mask is None:
            return self.self_attn(z, z, z, need_weights=False)[0]
        B, L, _ = z.shape
        full = ~mask.expand(B, self.self_attn.num_heads, L, L).reshape(-1, L, L)
        return self.self_attn(z, z, z, attn_mask=full, need_weights=False)[0]

    def feed(self, z):
        return self.linear2(F.relu(self.linear1(z)))

    def forward(self, x, mask=None):
        for norm, step in ((self.norm1, lambda z: self.attend(z, mask)), (self.norm2, self.feed)):
            x = x + self.drop(step(norm(x))) if self.pre else norm(x + self.drop(step(x)))
        return x


def one_big_matrix(small):
    return torch.vstack(small)


class Block(Block):
    def forward(self, x, mask=None):
        if self.pre:
            z = self.norm1(x); x = x + self.drop(self.attend(z, mask)); return x + self.drop(self.feed(x))
        return super().forward(x, mask)
