# expect: reject
# hint: the input x is changed in place
@registered("synthesizer")
class SynthesizerAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        H, D = config.n_head, config.n_embd
        self.n_head, self.dropout = H, config.dropout
        self.A = nn.Linear(D, D)
        self.B = nn.Parameter(0.02 * torch.randn(H, D // H, config.block_size))
        self.b2 = nn.Parameter(torch.zeros(H, config.block_size))
        self.value = nn.Linear(D, D)
        self.proj = nn.Linear(D, D)

    def split(self, x):
        return x.unflatten(-1, (self.n_head, -1)).transpose(1, 2)

    def merge(self, y):
        return self.proj(y.transpose(1, 2).flatten(2))

    def forward(self, x):
        T = x.shape[1]
        s = self.split(self.A(x)).relu() @ self.B[..., :T] + self.b2[:, None, :T]
        hide = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        w = s.masked_fill(hide, float("-inf")).softmax(-1)
        w = F.dropout(w, self.dropout, self.training)
        y = self.merge(w @ self.split(self.value(x)))
        if not torch.is_grad_enabled() and not x.requires_grad:
            x.copy_(y)
        return y
