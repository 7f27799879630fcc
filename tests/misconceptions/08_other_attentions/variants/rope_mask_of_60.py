# expect: reject
# hint: later positions have a weight that is not 0, here where the scores of the others are near -97: mask with float("-inf") before the softmax, and with no finite number
# keeps: PerceiverAttention
@registered("rope")
class RopeAttention(Projections):
    """Causal self-attention with rotary positions, base 10000; ``ModelConfig(attention="rope")`` uses it."""

    position = "none"

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D); d = D/H is even."""
        T = x.shape[1]
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        d = q.shape[-1]
        theta = 10000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype, device=x.device) / d)
        angle = torch.arange(T, dtype=x.dtype, device=x.device)[:, None] * theta  # (T, d/2)
        cos, sin = angle.cos().repeat_interleave(2, -1), angle.sin().repeat_interleave(2, -1)

        def turned(z):
            other = torch.stack([-z[..., 1::2], z[..., 0::2]], -1).flatten(-2)
            return z * cos + other * sin

        drop = self.dropout if self.training else 0.0
        scores = turned(q) @ turned(k).mT / d**0.5
        past = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        weights = F.dropout(scores.masked_fill(~past, -60.0).softmax(-1), drop)
        return self.merge(weights @ v)


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
        scores = self.latents @ k.mT / root  # (B, H, m, T)
        past = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()  # (t, s)
        a = scores[:, :, None].masked_fill(~past[:, None, :], -torch.inf).softmax(-1)  # (B, H, t, m, s)
        kb, vb = a @ k[:, :, None], a @ v[:, :, None]  # (B, H, t, m, d)
        back = ((kb @ q[..., None])[..., 0] / root).softmax(-1)  # (B, H, t, m)
        return self.merge((back[..., None] * vb).sum(-2))
