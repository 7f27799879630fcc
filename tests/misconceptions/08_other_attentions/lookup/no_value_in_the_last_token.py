# expect: reject
# hint: The last token counts with its own value half, which may hold any numbers: put no zeros there.
# keeps: lookup_tokens
def lookup_tokens(keys, values, asked, n_keys, n_values):
    rows = torch.arange(len(keys))
    pairs = torch.cat([F.one_hot(keys, n_keys), F.one_hot(values, n_values)], -1)
    last = torch.cat([F.one_hot(keys[rows, asked], n_keys), torch.zeros(len(keys), n_values, dtype=torch.long)], -1)
    return torch.cat([pairs, last[:, None]], 1).float(), values[rows, asked]


class LookupLayer(nn.Module):
    def __init__(self, kind: str, n_keys: int, n_values: int, n: int, width: int = 32) -> None:
        super().__init__()
        self.kind, self.n_keys = kind, n_keys
        if kind == "dot":
            self.q = nn.Linear(n_keys + n_values, width)
            self.k = nn.Linear(n_keys + n_values, width)
        else:
            self.A = nn.Linear(n_keys + n_values, width)
            self.B = nn.Parameter(0.1 * torch.randn(width, n + 1))
            self.b2 = nn.Parameter(torch.zeros(n + 1))

    def forward(self, x: Tensor) -> Tensor:
        if self.kind == "dot":
            q = self.q(x[:, -1])
            scores = (self.k(x) @ q[:, :, None])[..., 0] / math.sqrt(q.shape[-1])
        else:
            scores = self.A(x[:, -1]).relu() @ self.B + self.b2
        return (scores.softmax(-1)[:, None] @ F.pad(x[:, :-1, self.n_keys :], (0, 0, 0, 1)))[:, 0]
