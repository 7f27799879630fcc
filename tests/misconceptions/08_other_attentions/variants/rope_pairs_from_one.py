# expect: reject
# hint: rope: the pairs are counted from 1: the first, m = 0, turns by t itself
# keeps: PerceiverAttention
# m = 1, 2, …
@registered("rope")
class RopeAttention(Projections):
    """Causal self-attention with rotary positions, base 10000; ``ModelConfig(attention="rope")`` uses it."""

    position = "none"

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D); d = D/H is even."""
        T = x.shape[1]
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        d = q.shape[-1]
        theta = 10000.0 ** (-torch.arange(2, d + 2, 2, dtype=x.dtype, device=x.device) / d)
        angle = torch.arange(T, dtype=x.dtype, device=x.device)[:, None] * theta  # (T, d/2)
        turn = torch.polar(torch.ones_like(angle), angle)

        def turned(z):
            pairs = torch.view_as_complex(z.reshape(*z.shape[:-1], d // 2, 2).contiguous())
            return torch.view_as_real(pairs * turn).flatten(-2)

        drop = self.dropout if self.training else 0.0
        return self.merge(F.scaled_dot_product_attention(turned(q), turned(k), v, is_causal=True, dropout_p=drop))


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
        scores = torch.einsum("hmd,bhsd->bhms", self.latents, k) / root  # (B, H, m, T)
        past = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()  # (t, s)
        a = scores[:, :, None].masked_fill(~past[:, None, :], -torch.inf).softmax(-1)  # (B, H, t, m, s)
        kb, vb = a @ k[:, :, None], a @ v[:, :, None]  # (B, H, t, m, d)
        back = ((kb @ q[..., None])[..., 0] / root).softmax(-1)  # (B, H, t, m)
        return self.merge((back[..., None] * vb).sum(-2))
