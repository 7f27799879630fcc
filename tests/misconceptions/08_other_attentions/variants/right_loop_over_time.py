# expect: accept
# Complex numbers; one position after the other.
@registered("rope")
class RopeAttention(Projections):
    """Causal self-attention with rotary positions, base 10000; ``ModelConfig(attention="rope")`` uses it."""

    position = "none"

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D); d = D/H is even."""
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        n, d = x.shape[1], q.shape[-1]
        speed = 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
        angle = torch.outer(torch.arange(n, dtype=torch.float64), speed)

        def turn(u):
            z = torch.view_as_complex(u.double().unflatten(-1, (-1, 2)).contiguous()) * torch.polar(torch.ones_like(angle), angle)
            return torch.view_as_real(z).flatten(-2).to(u.dtype)

        q, k = turn(q), turn(k)
        rows = [F.scaled_dot_product_attention(q[:, :, t : t + 1], k[:, :, : t + 1], v[:, :, : t + 1]) for t in range(n)]
        return self.merge(torch.cat(rows, 2))


@registered("perceiver")
class PerceiverAttention(Projections):
    """Causal attention through m latents and back; ``ModelConfig(attention="perceiver")`` uses it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.latents = nn.Parameter(torch.randn(config.n_head, LATENTS, config.n_embd // config.n_head))  # (H, m, d)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        rows = []
        for t in range(x.shape[1]):
            down = self.latents.expand(len(x), -1, -1, -1)
            past_k, past_v = k[:, :, : t + 1], v[:, :, : t + 1]
            pooled = [F.scaled_dot_product_attention(down, past_k, part) for part in (past_k, past_v)]
            rows.append(F.scaled_dot_product_attention(q[:, :, t : t + 1], *pooled))
        return self.merge(torch.cat(rows, 2))
