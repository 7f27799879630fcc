"""Causal attention through a bottleneck of m latents: down by cross-attention and back.

In the manner of the Perceiver (Jaegle et al. 2021) with bounded memory as in ABC (Peng et al. 2022): each latent pools
keys and values of the past, and a position attends to the m pooled pairs instead of to all earlier positions.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from course_utils.attention import Cache, CausalSelfAttention, register_attention
from course_utils.config import ModelConfig

LATENTS = 16
BOUND = 30.0  # of a score of the way down: exp(±30) times a long block stays far inside float32


class PerceiverAttention(CausalSelfAttention):
    """Position t sees m latents, each a weighted mean of the keys and values of the positions up to t.

    Parameters: those of the vanilla attention, and ``latents`` (H, m, d).
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.latents = nn.Parameter(torch.randn(config.n_head, LATENTS, config.n_embd // config.n_head))

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        return self.read(x, self.split(self.key(x)), self.split(self.value(x)))

    def read(self, x: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """The last n positions x (B, n, D) look at all T >= n positions' keys and values (B, H, T, d) -> (B, n, D)."""
        q = self.split(self.query(x))  # (B, H, n, d)
        pooled_k, pooled_v = (part[:, :, -x.shape[1] :] for part in pool(self.latents, k, v))  # (B, H, n, m, d) each
        scores = (pooled_k @ q[..., None])[..., 0] / math.sqrt(q.shape[-1])  # (B, H, n, m, 1) -> (B, H, n, m)
        y = scores.softmax(-1)[..., None, :].to(v.dtype) @ pooled_v  # (B, H, n, 1, m) @ (B, H, n, m, d)
        return self.merge(y[..., 0, :])  # (B, H, n, 1, d) -> (B, H, n, d)

    def extend(self, x: Tensor, cache: Cache, t: int) -> Tensor:
        """Positions t .. t+n-1, x (B, n, D), given past keys and values in the cache -> (B, n, D)."""
        end = t + x.shape[1]
        for past, new in zip(cache, (self.key(x), self.value(x)), strict=True):
            past[:, :, t:end] = self.split(new)
        return self.read(x, *(past[:, :, :end] for past in cache))


def pool(latents: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Running means of k and v (B, H, T, d), weighted by softmax over the past of latent · k / √d: (B, H, T, m, d) each.

    All prefixes at once, by cumulative sums of exp(score) and exp(score)·value.
    """
    scores = (k @ latents.mT.to(k.dtype)).to(torch.promote_types(k.dtype, torch.float32)) / math.sqrt(k.shape[-1])
    weights = scores.clamp(-BOUND, BOUND).exp()[..., None]  # (B, H, T, m, 1)
    total = weights.cumsum(2)
    pooled_k, pooled_v = ((weights * part[..., None, :]).cumsum(2).div(total).to(k.dtype) for part in (k, v))
    return pooled_k, pooled_v


register_attention("perceiver", PerceiverAttention)
