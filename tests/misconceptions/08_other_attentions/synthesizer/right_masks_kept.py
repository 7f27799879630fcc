# expect: accept
# Masks are kept by length; what is made from weights is made anew in each call.
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
        self.masks = getattr(self, "masks", {})
        if T not in self.masks:
            self.masks[T] = torch.full((T, T), -torch.inf, dtype=x.dtype, device=x.device).triu(1)
        s = self.split(self.A(x)).relu() @ self.B[..., :T] + self.b2[:, None, :T]
        return self.merge((s + self.masks[T].to(x)).softmax(-1) @ self.split(self.value(x)))
