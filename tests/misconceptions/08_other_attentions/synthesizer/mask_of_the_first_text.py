# expect: reject
# hint: one module serves texts of different lengths: what is kept from a longer or a shorter text must not shape the next one
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
        scores = self.split(self.A(x)).relu() @ self.B[..., :T] + self.b2[:, None, :T]
        if not hasattr(self, 'future'):
            self.future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        future = self.future[:T, :T]
        weights = scores.masked_fill(future, float("-inf")).softmax(-1)
        weights = F.dropout(weights, self.dropout, self.training)
        return self.merge(weights @ self.split(self.value(x)))
