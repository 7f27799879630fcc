# expect: reject
# hint: one B serves all heads; every head has its own
@registered("synthesizer")
class SynthesizerAttention(nn.Module):
    """Causal synthesizer attention in H heads; ``ModelConfig(attention="synthesizer")`` uses it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        H, D = config.n_head, config.n_embd
        self.n_head, self.dropout = H, config.dropout
        self.A = nn.Linear(D, D)  # A_1 .. A_H side by side, with b1 of all heads as its bias
        self.B = nn.Parameter(0.02 * torch.randn(H, D // H, config.block_size))  # (H, d, block)
        self.b2 = nn.Parameter(torch.zeros(H, config.block_size))  # (H, block)
        self.value = nn.Linear(D, D)  # V_1 .. V_H side by side
        self.proj = nn.Linear(D, D)  # after the heads

    def split(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B, H, T, d): head h gets the columns h*d .. (h+1)*d - 1."""
        return x.unflatten(-1, (self.n_head, -1)).transpose(1, 2)  # (B, T, H, d) -> (B, H, T, d)

    def merge(self, y: Tensor) -> Tensor:
        """Heads side by side, then the output projection: (B, H, T, d) -> (B, T, D)."""
        return self.proj(y.transpose(1, 2).flatten(2))  # (B, T, H, d) -> (B, T, D)

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        scores = self.split(self.A(x)).relu() @ self.B[:1, :, :T] + self.b2[:, None, :T]
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(future, float("-inf")).softmax(-1)
        weights = F.dropout(weights, self.dropout, self.training)
        return self.merge(weights @ self.split(self.value(x)))
