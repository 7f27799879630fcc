# expect: reject
# hint: rope: values are not turned, queries and keys alone
# keeps: PerceiverAttention
@registered("rope")
class RopeAttention(Projections):
    position = "none"

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        T, d = q.shape[-2:]
        m = torch.arange(d // 2, dtype=torch.float64, device=x.device)
        theta = 10000.0 ** (-2 * m / d)
        angle = torch.outer(torch.arange(T, dtype=torch.float64, device=x.device), theta)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)

        def turn(z):
            a, b = z[..., ::2], z[..., 1::2]
            return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)

        p = self.dropout if self.training else 0.0
        return self.merge(F.scaled_dot_product_attention(turn(q), turn(k), turn(v), is_causal=True, dropout_p=p))


@registered("perceiver")
class PerceiverAttention(Projections):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.latents = nn.Parameter(torch.randn(config.n_head, LATENTS, config.n_embd // config.n_head))  # (H, m, d)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        T, d = q.shape[-2:]
        scores = self.latents @ k.mT / math.sqrt(d)  # (B, H, m, T)
        scores = scores[:, :, None].expand(-1, -1, T, -1, -1)  # (B, H, T, m, T)
        hidden = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        a = scores.masked_fill(hidden[:, None], float("-inf")).softmax(-1)
        pk = torch.einsum("bhtms,bhsd->bhtmd", a, k)
        pv = torch.einsum("bhtms,bhsd->bhtmd", a, v)
        back = (torch.einsum("bhtd,bhtmd->bhtm", q, pk) / math.sqrt(d)).softmax(-1)
        return self.merge(torch.einsum("bhtm,bhtmd->bhtd", back, pv))
