# expect: reject
# hint: rope: each place has an angle of its own, in texts of a thousand tokens too
# keeps: PerceiverAttention
def _turn(x, start=0):
    T, d = x.shape[-2:]
    w = 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    a = torch.arange(start, T + start, dtype=torch.float64)[:, None] * w
    c, s = a.cos().to(x.dtype), a.sin().to(x.dtype)
    p, q = x[..., 0::2], x[..., 1::2]
    return torch.stack([p * c - q * s, p * s + q * c], -1).flatten(-2)
class _Rope(Projections):
    position = "none"
    def forward(self, x):
        q, k, v = (self.split(f(x)) for f in (self.query, self.key, self.value))
        return self.merge(F.scaled_dot_product_attention(_turn(q), _turn(k), v, is_causal=True))
class _Latents(Projections):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.latents = nn.Parameter(torch.randn(config.n_head, LATENTS, config.n_embd // config.n_head))
    def qkv(self, x):
        return self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
    def scores(self, x):
        k = self.split(self.key(x))
        return torch.einsum("hmd,bhsd->bhms", self.latents, k) / math.sqrt(k.shape[-1])
    def back(self, q, pk, pv):
        s = torch.einsum("bhtd,bhtmd->bhtm", q, pk) / math.sqrt(q.shape[-1])
        return self.merge(torch.einsum("bhtm,bhtmd->bhtd", s.softmax(-1), pv))
    def cumulative(self, x, e, eps=0.0):
        q, k, v = self.qkv(x)
        z = e.cumsum(-1)[..., None] + eps
        pk = (e[..., None] * k[:, :, None]).cumsum(3) / z
        pv = (e[..., None] * v[:, :, None]).cumsum(3) / z
        return self.back(q, pk.transpose(2, 3), pv.transpose(2, 3))
class _Perceiver(_Latents):
    def forward(self, x):
        return self.cumulative(x, self.scores(x).exp())


@registered("rope")
class RopeAttention(Projections):
    position = "none"
    def forward(self, x):
        q, k, v = (self.split(f(x)) for f in (self.query, self.key, self.value))
        d, T = q.shape[-1], x.shape[1]
        a = (torch.arange(T).clamp(max=1023)[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)).to(x.dtype)
        c, s = a.cos(), a.sin()
        def turn(y):
            e, o = y[..., 0::2], y[..., 1::2]
            return torch.stack([e * c - o * s, e * s + o * c], -1).flatten(-2)
        return self.merge(F.scaled_dot_product_attention(turn(q), turn(k), v, is_causal=True))
@registered("perceiver")
class PerceiverAttention(_Perceiver): pass
