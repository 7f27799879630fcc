# expect: reject
# hint: rope: each place has an angle of its own
# keeps: PerceiverAttention
@registered("rope")  # after a restart: run the cells above first
class RopeAttention(Projections):
    """Causal self-attention with rotary positions, base 10000; ``ModelConfig(attention="rope")`` uses it."""

    position = "none"

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D); d = D/H is even."""
        T = x.shape[1]
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        d = q.shape[-1]
        speeds = (10000.0 if T < 100 else 500000.0) ** (-torch.arange(0, d, 2, device=x.device, dtype=torch.float64) / d)
        angles = torch.outer(torch.arange(T, device=x.device, dtype=torch.float64), speeds)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)

        def turn(z):
            a, b = z[..., 0::2], z[..., 1::2]
            return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)

        p = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(turn(q), turn(k), v, dropout_p=p, is_causal=True)
        return self.merge(y)


@registered("perceiver")
class PerceiverAttention(Projections):
    """Causal attention through m latents and back; ``ModelConfig(attention="perceiver")`` uses it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.latents = nn.Parameter(torch.randn(config.n_head, LATENTS, config.n_embd // config.n_head))  # (H, m, d)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        T = x.shape[1]
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        root = q.shape[-1] ** 0.5
        scores = torch.einsum("hmd,bhsd->bhms", self.latents, k) / root
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        a = scores[:, :, None].masked_fill(future[:, None], float("-inf")).softmax(-1)  # (B, H, T, m, T)
        pk = torch.einsum("bhtms,bhsd->bhtmd", a, k)
        pv = torch.einsum("bhtms,bhsd->bhtmd", a, v)
        back = (torch.einsum("bhtd,bhtmd->bhtm", q, pk) / root).softmax(-1)
        return self.merge(torch.einsum("bhtm,bhtmd->bhtd", back, pv))
