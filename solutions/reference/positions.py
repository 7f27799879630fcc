"""Right answers of notebook 03 but for the rotary embedding (see rope.py), in float64, for the judge and the tests."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def attend(X: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Tensor:
    """One head of bidirectional self-attention: X (n, d), weights (d, e) -> (n, e) (Vaswani et al. 2017, eq. 1)."""
    q, k, v = (X.double() @ W.double() for W in (W_q, W_k, W_v))
    return torch.softmax(q @ k.T / math.sqrt(q.shape[1]), -1) @ v


def order_gap(X: Tensor, P: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, order: Tensor) -> float:
    """Largest difference between "reorder the words, then attend" and "attend, then reorder"."""
    weights = (W_q, W_k, W_v)
    return (attend(X[order] + P, *weights) - attend(X + P, *weights)[order]).abs().max().item()


def frequencies(d: int, base: float) -> Tensor:
    """base^(-2m/d) for m = 0 .. d/2 - 1, shape (d/2,)."""
    return float(base) ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)


def sinusoid(T: int, d: int, base: float = 10000.0) -> Tensor:
    """(T, d): sine in the even columns, cosine in the odd ones (Vaswani et al. 2017, section 3.5)."""
    angles = torch.outer(torch.arange(T, dtype=torch.float64), frequencies(d, base))  # (T, d/2)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)  # (T, d/2, 2) -> (T, d)


def shift_matrix(k: int, d: int, base: float = 10000.0) -> Tensor:
    """(d, d), one 2 x 2 block per hand: the angle-addition formulas for sin and cos."""
    turn = k * frequencies(d, base)
    cos, sin = turn.cos(), turn.sin()
    blocks = torch.stack([torch.stack([cos, sin], -1), torch.stack([-sin, cos], -1)], 1)  # (d/2, 2, 2)
    return torch.block_diag(*blocks)


def score_terms(X: Tensor, P: Tensor) -> tuple[Tensor, Tensor]:
    """The four terms (4, n, n) of (x_i + p_i)·(x_j + p_j), and the two (2, n, n) of the concatenated form."""
    added = torch.stack([X @ X.T, X @ P.T, P @ X.T, P @ P.T])
    return added, added[[0, 3]]


def cross_variances(dims: list[int], draws: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Variance of x·p for unit and for raw vectors, (len(dims),) each, from fresh pairs for every width."""
    rows = []
    for d in dims:
        x, p = (torch.randn(draws, d, generator=rng, dtype=torch.float64) for _ in range(2))
        product = (x * p).sum(1)
        rows.append([(product / x.norm(dim=1) / p.norm(dim=1)).var(), product.var()])
    table = torch.tensor(rows).T
    return table[0], table[1]


def log_slope(dims: list[int], values: Tensor) -> float:
    """Least-squares slope of log(values) over log(dims)."""
    x, y = torch.tensor(dims, dtype=torch.float64).log(), values.double().log()
    x = x - x.mean()
    return ((x @ y) / (x @ x)).item()


def bias_matrix(table: Tensor, length: int) -> Tensor:
    """table (H, 2T-1), entry [h, o + T - 1] belongs to offset o = i - j -> (H, length, length)."""
    places = torch.arange(length)
    return table[:, places[:, None] - places + table.shape[1] // 2]


def relative_attention(q: Tensor, k: Tensor, v: Tensor, table: Tensor) -> Tensor:
    """q, k, v (B, H, L, d), table (H, 2T-1) -> (B, H, L, d); the scalar form of Shaw et al. 2018 (Raffel et al. 2020)."""
    bias = bias_matrix(table, q.shape[2])
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias.expand(q.shape[0], -1, -1, -1))


def bias_count(T: int, heads: int, layers: int, causal: bool = False, clip: int | None = None) -> int:
    """How many biases are learned: one per offset that occurs (beyond ``clip`` offsets share one), head and layer."""
    far = T - 1 if clip is None else min(clip, T - 1)
    return heads * layers * (far + 1 if causal else 2 * far + 1)


def masked_outputs(
    X: Tensor, P: Tensor, mask: Tensor, hidden: list[int], W_q: Tensor, W_k: Tensor, W_v: Tensor
) -> tuple[Tensor, Tensor]:
    """Outputs (len(hidden), e) at the hidden places: word and position replaced by the mask, and the word alone."""
    chosen = torch.zeros(len(X), 1, dtype=torch.bool)
    chosen[hidden] = True
    rows = (torch.where(chosen, mask, X + P), torch.where(chosen, mask, X) + P)
    first, second = (attend(row, W_q, W_k, W_v)[hidden] for row in rows)
    return first, second
