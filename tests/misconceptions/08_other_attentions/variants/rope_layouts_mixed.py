# expect: reject
# hint: rope: pair m turns with θ_m, in halves as in neighbours: do not mix the two layouts
# keeps: PerceiverAttention
@registered("rope")
class RopeAttention(Projections):
    position = "none"

    def forward(self, x):
        B, T, D = x.shape
        d = D // self.n_head
        half = d // 2
        freq = torch.exp(-math.log(10000.0) * 2 * torch.arange(half, dtype=torch.float32, device=x.device) / d)
        t = torch.arange(1, T + 1, dtype=torch.float32, device=x.device)
        ang = (t[:, None] * freq).repeat_interleave(2, -1).to(x.dtype) if x.dtype != torch.float64 else None
        if ang is None:
            f64 = torch.exp(-math.log(10000.0) * 2 * torch.arange(half, dtype=torch.float64, device=x.device) / d)
            ang = (t.double()[:, None] * f64).repeat_interleave(2, -1)

        def rot(z):
            return z * ang.cos() + torch.cat([-z[..., half:], z[..., :half]], -1) * ang.sin()

        q, k, v = rot(self.split(self.query(x))), rot(self.split(self.key(x))), self.split(self.value(x))
        s = q @ k.transpose(-1, -2) / d ** 0.5
        s = s + torch.full((T, T), float("-inf"), dtype=s.dtype, device=s.device).triu(1)
        return self.merge(F.dropout(s.softmax(-1), self.dropout, self.training) @ v)


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
