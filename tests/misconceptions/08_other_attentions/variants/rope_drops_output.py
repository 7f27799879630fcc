# expect: reject
# hint: rope: the output is dropped. Dropout belongs on attention weights.
# keeps: PerceiverAttention
@registered("rope")
class RopeAttention(Projections):
    position = "none"

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        d = q.shape[-1]
        theta = 10000.0 ** (-2 * torch.arange(d // 2, dtype=torch.float64) / d)
        angle = torch.arange(T, dtype=torch.float64)[:, None] * theta
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)

        def turn(z):
            a, b = z[..., 0::2], z[..., 1::2]
            return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)

        scores = turn(q) @ turn(k).mT / math.sqrt(d)
        hidden = torch.ones(T, T, dtype=torch.bool).triu(1)
        w = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        w = F.dropout(w, self.dropout, self.training)
        return F.dropout(self.merge(w @ v), self.dropout, self.training)


@registered("perceiver")
class PerceiverAttention(Projections):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.latents = nn.Parameter(torch.randn(config.n_head, LATENTS, config.n_embd // config.n_head))  # (H, m, d)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        d = q.shape[-1]
        s = (self.latents @ k.mT / math.sqrt(d))[:, :, None].expand(-1, -1, T, -1, -1)
        hidden = torch.ones(T, T, dtype=torch.bool).triu(1)[:, None]
        a = s.masked_fill(hidden, float("-inf")).softmax(-1)
        kk = torch.einsum("bhtms,bhsd->bhtmd", a, k)
        vv = torch.einsum("bhtms,bhsd->bhtmd", a, v)
        w = (torch.einsum("bhtd,bhtmd->bhtm", q, kk) / math.sqrt(d)).softmax(-1)
        return self.merge(torch.einsum("bhtm,bhtmd->bhtd", w, vv))
