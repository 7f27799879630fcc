"""A block of a synthesizer that looks things up without comparing: one head for each place, and a network that picks.

Its weights are written down, not learned. Head p of the attention always reads place p. The feed-forward network reads
keys and values as numbers and has three hidden units for each place: with d the difference of the place's key and the key
asked for, v the place's value (from 1 to n), and u = n d, the sum ReLU(u + v) - 2 ReLU(u) + ReLU(u - v) is v where d = 0, and
0 elsewhere. This is one construction; no smallest number of hidden units is claimed.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from benchmarks.claims.measure.cells import names_of
from course_utils.config import ModelConfig

NAME = "08_other_attentions"
CERTAIN = 50.0  # a score so far above the others, 0, that its weight is 1 in float32
TABLES = 5000


def attention(n: int, width: int, missing: int = 0) -> torch.nn.Module:
    """The notebook's synthesizer with n + 1 heads of the given width; head p copies token p into its columns.

    The residual stream holds a token in its last ``width`` columns. The last head gives zeros, so that they stay.
    The last ``missing`` of the n places are read by no head.
    """
    config = ModelConfig(5, n + 1, 1, n + 1, (n + 1) * width)
    layer = names_of(NAME)["SynthesizerAttention"](config)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()
        layer.b2.copy_(CERTAIN * torch.eye(n + 1))
        for p in range(n - missing):
            layer.value.weight[p * width : (p + 1) * width, n * width :] = torch.eye(width)
        layer.proj.weight.copy_(torch.eye(config.n_embd))
    return layer


def network(n: int, n_keys: int) -> tuple[Tensor, Tensor, Tensor]:
    """Weights of the hidden units (3n, D), whose biases are 0, and of the scores of the values (n, 3n), with their biases (n,).

    Scores are 2 s w - w² with s the sum over places and w = 1 .. n, so the largest is that of w = s.
    """
    width = n_keys + n
    numbers, values = n * torch.arange(n_keys).float(), torch.arange(1, n + 1).float()
    first = torch.zeros(n, 3, (n + 1) * width)  # place, unit, columns of the residual stream
    for p in range(n):
        first[p, :, p * width : p * width + n_keys] = numbers  # the key at place p
        first[p, :, p * width + n_keys : (p + 1) * width] = torch.outer(torch.tensor([1.0, 0.0, -1.0]), values)
    first[:, :, n * width : n * width + n_keys] = -numbers  # the key asked for
    second = torch.outer(2 * values, torch.tensor([1.0, -2.0, 1.0]).repeat(n))
    return first.flatten(0, 1), second, -values.square()


def right_answers(n: int = 8, n_keys: int = 16, missing: int = 0, seed: int = 0) -> dict[str, Any]:
    """Share of right answers over 5,000 random tables, and what the block costs."""
    cells, width = names_of(NAME), n_keys + n
    tables = cells["new_tables"](TABLES, n, n_keys, torch.Generator().manual_seed(seed))
    x, y = cells["lookup_tokens"](*tables, n_keys, n)  # (B, n+1, width)
    stream = F.pad(x, (n * width, 0))  # (B, n+1, width) -> (B, n+1, D)
    first, second, bias = network(n, n_keys)
    with torch.no_grad():
        read = (stream + attention(n, width, missing)(stream))[:, -1]  # (B, n+1, D) -> (B, D)
        votes = (read @ first.T).relu() @ second.T + bias  # (B, n)
    return {
        "right": float((votes.argmax(-1) == y).float().mean()),
        "hidden_units": len(first),
        "weights": first.numel() + second.numel(),
    }


def measure() -> dict[str, Any]:
    """Tables of 4, 8 and 16 pairs, and as a control the same with half of the places read by no head."""
    return {
        "tables": TABLES,
        "whole": {str(n): right_answers(n, 2 * n) for n in (4, 8, 16)},
        "half": {str(n): right_answers(n, 2 * n, missing=n // 2) for n in (4, 8, 16)},
    }
