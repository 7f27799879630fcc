# expect: reject
# hint: the largest score of the whole tensor is taken from all rows, and 1e-8 is added to the sum: hide with -inf, and take the softmax row by row
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
        s = self.split(self.A(x)).relu() @ self.B[..., :T] + self.b2[:, None, :T]
        e = (s - s.max()).exp().tril()
        return self.merge(e / (e.sum(-1, keepdim=True) + 1e-8) @ self.split(self.value(x)))
