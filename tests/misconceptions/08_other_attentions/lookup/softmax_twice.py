# expect: reject
# hint: the output sums to 1, although the last token has no value: all n+1 tokens are looked at, in one softmax, and none comes after it
# keeps: lookup_tokens
# A softmax over the values at the end.
def lookup_tokens(keys: Tensor, values: Tensor, asked: Tensor, n_keys: int, n_values: int) -> tuple[Tensor, Tensor]:
    """Episodes as tokens and right answers.

    Args:
        keys: (B, n), all different in a row, 0 .. n_keys-1.
        values: (B, n), 0 .. n_values-1.
        asked: (B,), the index 0 .. n-1 of the pair whose key is asked for.

    Returns:
        x (B, n+1, n_keys + n_values), float32, as above; y (B,), the value that belongs to the key asked for.
    """
    pairs = torch.cat([F.one_hot(keys, n_keys), F.one_hot(values, n_values)], dim=-1)
    wanted = F.one_hot(keys.gather(1, asked[:, None]), n_keys)  # (B, 1, n_keys)
    last = torch.cat([wanted, torch.zeros(len(keys), 1, n_values, dtype=wanted.dtype)], dim=-1)
    return torch.cat([pairs, last], dim=1).float(), values.gather(1, asked[:, None])[:, 0]


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
        asker = x[:, -1]
        if self.kind == "dot":
            q, k = self.q(asker), self.k(x)
            scores = (k @ q[:, :, None])[..., 0] / math.sqrt(q.shape[-1])
        else:
            scores = torch.relu(self.A(asker)) @ self.B + self.b2
        alpha = scores.softmax(-1)
        return (alpha[:, None, :] @ x[..., self.n_keys:])[:, 0].softmax(-1)
