# expect: reject
# hint: your class lost its line position = "none": the GPT would add learned positions
# keeps: PerceiverAttention
@registered("rope")
class RopeAttention(Projections):
    def __init__(self, config):
        super().__init__(config)
        self.position = "none"

    def turn(self, x):
        T, d = x.shape[-2:]
        theta = 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64, device=x.device) / d)
        angle = torch.arange(T, dtype=torch.float64, device=x.device)[:, None] * theta
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)

    def forward(self, x):
        q, k, v = (self.split(f(x)) for f in (self.query, self.key, self.value))
        q, k = self.turn(q), self.turn(k)
        T, d = q.shape[-2:]
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        w = (q @ k.mT / math.sqrt(d)).masked_fill(future, -math.inf).softmax(-1)
        w = F.dropout(w, self.dropout, self.training)
        return self.merge(w @ v)


@registered("perceiver")
class PerceiverAttention(Projections):
    def __init__(self, config):
        super().__init__(config)
        self.latents = nn.Parameter(torch.randn(config.n_head, LATENTS, config.n_embd // config.n_head))

    def forward(self, x):
        q, k, v = (self.split(f(x)) for f in (self.query, self.key, self.value))
        T, d = q.shape[-2:]
        scores = self.latents @ k.mT / math.sqrt(d)  # (B, H, m, T)
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        a = scores[:, :, None].masked_fill(future[:, None], -math.inf).softmax(-1)  # (B, H, T, m, T)
        pooled_k = torch.einsum("bhtms,bhsd->bhtmd", a, k)
        pooled_v = torch.einsum("bhtms,bhsd->bhtmd", a, v)
        back = (torch.einsum("bhtd,bhtmd->bhtm", q, pooled_k) / math.sqrt(d)).softmax(-1)
        return self.merge(torch.einsum("bhtm,bhtmd->bhtd", back, pooled_v))
