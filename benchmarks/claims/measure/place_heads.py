"""A block of a synthesizer that looks things up without comparing: one head for each place, and a network that picks.

Its weights are written down, not learned. Head p of the attention always reads place p; the feed-forward network has one
hidden unit for every (place, key, value), which is 1 where that place holds that pair and the question names that key.
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


def network(n: int, n_keys: int) -> tuple[Tensor, Tensor]:
    """Weights of the hidden units (n * n_keys * n, D) and of the values (n, n * n_keys * n); every bias is -2."""
    width = n_keys + n
    first = torch.zeros(n, n_keys, n, (n + 1) * width)  # place, key, value, columns of the residual stream
    for p in range(n):
        for k in range(n_keys):
            first[p, k, :, p * width + k] = 1  # place p holds key k,
            first[p, k, :, n * width + k] = 1  # the question names key k,
        for v in range(n):
            first[p, :, v, p * width + n_keys + v] = 1  # and place p holds value v
    second = torch.eye(n).expand(n, n_keys, n, n)  # a unit of value v votes for v
    return first.flatten(0, 2), second.flatten(0, 2).T


def right_answers(n: int = 8, n_keys: int = 16, missing: int = 0, seed: int = 0) -> dict[str, Any]:
    """Share of right answers over 5,000 random tables, and what the block costs."""
    cells, width = names_of(NAME), n_keys + n
    tables = cells["new_tables"](TABLES, n, n_keys, torch.Generator().manual_seed(seed))
    x, y = cells["lookup_tokens"](*tables, n_keys, n)  # (B, n+1, width)
    stream = F.pad(x, (n * width, 0))  # (B, n+1, width) -> (B, n+1, D)
    first, second = network(n, n_keys)
    with torch.no_grad():
        read = (stream + attention(n, width, missing)(stream))[:, -1]  # (B, n+1, D) -> (B, D)
        votes = (read @ first.T - 2).relu() @ second.T  # (B, n)
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
