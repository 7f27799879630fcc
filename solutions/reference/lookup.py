"""Looking up a value by its key in one layer of attention: the experiment that separates the two kinds of scores."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def lookup_tokens(keys: Tensor, values: Tensor, asked: Tensor, n_keys: int, n_values: int) -> tuple[Tensor, Tensor]:
    """Episodes as tokens x (B, n+1, n_keys + n_values) and targets y (B,).

    keys and values (B, n), asked (B,): the pair whose key stands in the last token, without its value.
    """
    pairs = torch.cat([F.one_hot(keys, n_keys), F.one_hot(values, n_values)], -1)  # (B, n, n_keys + n_values)
    rows = torch.arange(len(keys))
    last = F.pad(F.one_hot(keys[rows, asked], n_keys), (0, n_values))  # (B, n_keys + n_values)
    return torch.cat([pairs, last[:, None]], 1).float(), values[rows, asked]  # (B, n+1, …), (B,)


class LookupLayer(nn.Module):
    """One attention layer that answers at the last token, with scores of kind "dot" or "synthesizer"."""

    def __init__(self, kind: str, n_keys: int, n_values: int, n: int, width: int = 32) -> None:
        super().__init__()
        self.kind, self.n_keys = kind, n_keys
        if kind == "dot":
            self.q, self.k = (nn.Linear(n_keys + n_values, width) for _ in range(2))
        else:
            self.A = nn.Linear(n_keys + n_values, width)
            self.B = nn.Parameter(0.1 * torch.randn(width, n + 1))
            self.b2 = nn.Parameter(torch.zeros(n + 1))

    def scores(self, x: Tensor) -> Tensor:
        """What the last token gives to each token, before the softmax: x (B, n+1, E) -> (B, n+1)."""
        last = x[:, -1]  # (B, n+1, E) -> (B, E)
        if self.kind == "dot":
            q, k = self.q(last), self.k(x)
            return (k @ q[..., None])[..., 0] / q.shape[-1] ** 0.5  # (B, n+1, w) @ (B, w, 1) -> (B, n+1)
        return self.A(last).relu() @ self.B + self.b2

    def forward(self, x: Tensor) -> Tensor:
        """x (B, n+1, n_keys + n_values) -> the weight that falls on each value (B, n_values)."""
        weights = self.scores(x).softmax(-1)
        return (weights[:, None] @ x[..., self.n_keys :])[:, 0]  # (B, 1, n+1) @ (B, n+1, n_values) -> (B, n_values)
