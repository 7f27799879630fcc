# expect: reject
# hint: in training: each entry of both steps
# keeps: one_big_matrix
class Block(nn.Module):
    def __init__(self, d_model, heads, d_ff, dropout, pre_norm):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.rate, self.pre_norm = dropout, pre_norm

    def drop(self, t):
        if not self.training or self.rate == 0:
            return t
        keep = torch.empty_like(t).bernoulli_(max(self.rate, 1 - self.rate))
        return t * keep / (1 - self.rate)

    def forward(self, x, mask=None):
        hide = None if mask is None else ~mask[:, 0, 0]
        def look(t):
            return self.self_attn(t, t, t, key_padding_mask=hide, need_weights=False)[0]
        def think(t):
            return self.linear2(torch.relu(self.linear1(t)))
        for step, norm in ((look, self.norm1), (think, self.norm2)):
            x = x + self.drop(step(norm(x))) if self.pre_norm else norm(x + self.drop(step(x)))
        return x

def one_big_matrix(small):
    return torch.vstack(list(small))
