# expect: reject
# hint: y must be int64 (torch.long), the type of labels
# keeps: LookupLayer
def lookup_tokens(keys, values, asked, n_keys, n_values):
    B, n = keys.shape
    x = torch.zeros(B, n + 1, n_keys + n_values)
    for b in range(B):
        for p in range(n):
            x[b, p, int(keys[b, p])] = 1
            x[b, p, n_keys + int(values[b, p])] = 1
        x[b, n, int(keys[b, int(asked[b])])] = 1
    return x, torch.stack([v[a] for v, a in zip(values, asked)]).int()

class LookupLayer(nn.Module):
    def __init__(self, kind, n_keys, n_values, n, width=32):
        super().__init__()
        self.kind, self.n_keys = kind, n_keys
        if kind == "dot":
            self.q = nn.Linear(n_keys + n_values, width)
            self.k = nn.Linear(n_keys + n_values, width)
        else:
            self.A = nn.Linear(n_keys + n_values, width)
            self.B = nn.Parameter(0.1 * torch.randn(width, n + 1))
            self.b2 = nn.Parameter(torch.zeros(n + 1))

    def forward(self, x):
        last = x[:, -1]
        if self.kind == "dot":
            q = self.q(last)
            s = torch.bmm(self.k(x), q.unsqueeze(-1)).squeeze(-1) / q.shape[-1] ** 0.5
        else:
            s = torch.addmm(self.b2, self.A(last).relu(), self.B)
        return torch.einsum("bs,bsv->bv", s.softmax(1), x[..., self.n_keys:])
