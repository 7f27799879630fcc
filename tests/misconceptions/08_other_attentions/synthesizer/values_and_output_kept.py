# expect: reject
# hint: a product of weights is kept from the first call in evaluation mode and used after they have changed: forward reads the parameters anew each time
# Keeps values and output projection multiplied, where no gradients are asked for.
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
        T, H = x.shape[1], self.n_head
        s = self.split(self.A(x)).relu() @ self.B[..., :T] + self.b2[:, None, :T]
        w = s.masked_fill(torch.ones(T, T).triu(1).bool(), -torch.inf).softmax(-1)
        if self.training or torch.is_grad_enabled():
            return self.merge(w @ self.split(self.value(x)))
        if getattr(self, "_both", None) is None:
            parts = self.proj.weight.unflatten(1, (H, -1)).transpose(0, 1)  # (D, D) -> (H, D, d)
            self._both = parts @ self.value.weight.unflatten(0, (H, -1))  # (H, D, d) @ (H, d, D) -> (H, D, D)
            self._bias = self.proj(self.value.bias)
        return ((w @ x[:, None]) @ self._both.mT).sum(1) + self._bias
