# expect: reject
# hint: rope: only the queries are turned; turn queries and keys by their positions
# keeps: PerceiverAttention
# Positions of the queries alone.
@registered("rope")
class RopeAttention(Projections):
    """Causal self-attention with rotary positions, base 10000; ``ModelConfig(attention="rope")`` uses it."""

    position = "none"

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D); d = D/H is even."""
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        d, places = q.shape[-1], torch.arange(x.shape[1], device=x.device).double()
        angles = torch.outer(places, 10000.0 ** (-torch.arange(0, d, 2, device=x.device).double() / d))  # (T, d/2)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)

        def turn(u: Tensor) -> Tensor:
            a, b = u[..., 0::2], u[..., 1::2]  # (B, H, T, d/2) each
            return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)  # (B, H, T, d)

        return self.merge(F.scaled_dot_product_attention(turn(q).to(v.dtype), k, v, is_causal=True))


@registered("perceiver")
class PerceiverAttention(Projections):
    """Causal attention through m latents and back; ``ModelConfig(attention="perceiver")`` uses it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.latents = nn.Parameter(torch.randn(config.n_head, LATENTS, config.n_embd // config.n_head))  # (H, m, d)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        n, root = x.shape[1], math.sqrt(q.shape[-1])
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)  # (T, T)
        down = (self.latents @ k.mT / root)[:, :, None]  # (B, H, m, T) -> (B, H, 1, m, T)
        a = down.masked_fill(future[:, None], float("-inf")).softmax(-1).to(v.dtype)  # (B, H, T, m, T)
        # (B, H, T, m, T) @ (B, H, 1, T, d) -> (B, H, T, m, d)
        pooled_k, pooled_v = a @ k[:, :, None], a @ v[:, :, None]
        back = (pooled_k @ q[..., None])[..., 0] / root  # (B, H, T, m, d) @ (B, H, T, d, 1) -> (B, H, T, m)
        y = back.softmax(-1).to(v.dtype)[..., None, :] @ pooled_v  # (B, H, T, 1, m) @ (B, H, T, m, d)
        return self.merge(y[..., 0, :])
