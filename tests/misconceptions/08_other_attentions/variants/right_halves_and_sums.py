# expect: accept
# Pairs of halves; cumulative sums.
@registered("rope")
class RopeAttention(Projections):
    """Causal self-attention with rotary positions, base 10000; ``ModelConfig(attention="rope")`` uses it."""

    position = "none"

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D); d = D/H is even."""
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        n, d = x.shape[1], q.shape[-1]
        speed = torch.tensor([10000.0 ** (-2 * m / d) for m in range(d // 2)], dtype=x.dtype)
        angle = torch.cat([torch.outer(torch.arange(n, dtype=x.dtype), speed)] * 2, -1)  # (T, d)

        def turn(u):
            a, b = u.chunk(2, -1)
            return u * angle.cos() + torch.cat([-b, a], -1) * angle.sin()

        scores = turn(q) @ turn(k).mT / math.sqrt(d)
        future = torch.ones(n, n, dtype=torch.bool).triu(1)
        return self.merge(scores.masked_fill(future, float("-inf")).softmax(-1) @ v)


@registered("perceiver")
class PerceiverAttention(Projections):
    """Causal attention through m latents and back; ``ModelConfig(attention="perceiver")`` uses it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.latents = nn.Parameter(torch.randn(config.n_head, LATENTS, config.n_embd // config.n_head))  # (H, m, d)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        root = math.sqrt(q.shape[-1])
        scores = k @ self.latents.mT / root  # (B, H, T, m)
        w = (scores - scores.amax(2, keepdim=True)).exp()[..., None]
        pooled_k, pooled_v = ((w * part[..., None, :]).cumsum(2) / w.cumsum(2) for part in (k, v))
        back = (pooled_k * q[..., None, :]).sum(-1) / root
        return self.merge((back.softmax(-1)[..., None] * pooled_v).sum(-2))
