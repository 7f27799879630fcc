# expect: accept
def lookup_tokens(keys: Tensor, values: Tensor, asked: Tensor, n_keys: int, n_values: int) -> tuple[Tensor, Tensor]:
    """Episodes as tokens and right answers.

    Args:
        keys: (B, n), all different in a row, 0 .. n_keys-1.
        values: (B, n), 0 .. n_values-1.
        asked: (B,), the index 0 .. n-1 of the pair whose key is asked for.

    Returns:
        x (B, n+1, n_keys + n_values), float32, as above; y (B,), the value that belongs to the key asked for.
    """
    pairs = torch.cat([F.one_hot(keys, n_keys), F.one_hot(values, n_values)], -1)  # (B, n, n_keys + n_values)
    rows = torch.arange(len(keys))
    question = F.one_hot(keys[rows, asked], n_keys)  # (B, n_keys)
    last = torch.cat([question, question.new_zeros(len(keys), n_values)], -1)
    return torch.cat([pairs, last[:, None]], 1).float(), values[rows, asked]


class LookupLayer(nn.Module):
    """One layer of attention that answers at the last token; ``kind`` is "dot" or "synthesizer"."""

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
        """x (B, n+1, n_keys + n_values) -> probability of each value (B, n_values)."""
        wide = x.double()
        last = wide[:, -1]  # (B, n+1, E) -> (B, E)
        if self.kind == "dot":
            q = last @ self.q.weight.double().T + self.q.bias.double()
            k = wide @ self.k.weight.double().T + self.k.bias.double()
            scores = (k * q[:, None]).sum(-1) / math.sqrt(q.shape[-1])  # (B, n+1)
        else:  # clamp has the slope 1 at 0, relu has 0
            hidden = (last @ self.A.weight.double().T + self.A.bias.double()).clamp_min(0)
            scores = hidden @ self.B.double() + self.b2.double()
        share = (scores - scores.logsumexp(1, keepdim=True)).exp()
        return (share[..., None] * wide[..., self.n_keys :]).sum(1).to(x.dtype)
