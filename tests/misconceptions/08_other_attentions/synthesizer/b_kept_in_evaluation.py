# expect: reject
# hint: B is kept from the first call in evaluation mode and used after the weights have changed: forward reads the parameters anew each time
@registered("synthesizer")
class SynthesizerAttention(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        H, D = config.n_head, config.n_embd
        self.n_head, self.dropout = H, config.dropout
        self.A = nn.Linear(D, D)
        self.B = nn.Parameter(0.02 * torch.randn(H, D // H, config.block_size))
        self.b2 = nn.Parameter(torch.zeros(H, config.block_size))
        self.value = nn.Linear(D, D)
        self.proj = nn.Linear(D, D)

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.n_head, -1)).transpose(1, 2)

    def merge(self, y: Tensor) -> Tensor:
        return self.proj(y.transpose(1, 2).flatten(2))


    def forward(self, x):
        T = x.shape[1]
        if not self.training and getattr(self, "_B", None) is None:
            self._B = self.B.detach().clone()
        B = self.B if self.training else self._B + (self.B - self.B.detach())
        s = self.split(self.A(x)).relu() @ B[..., :T] + self.b2[:, None, :T]
        s = s.masked_fill(torch.ones(T, T).triu(1).bool(), -torch.inf)
        return self.merge(s.softmax(-1) @ self.split(self.value(x)))
