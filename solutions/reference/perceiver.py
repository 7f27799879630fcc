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
        return self.read(x, None)

    def new_cache(self, batch: int, length: int) -> Cache:
        """Sums over no past, of a size that does not depend on its length: (batch, H, 1, m, 1), and twice with d for 1."""
        H, m, d = self.latents.shape
        return tuple(self.latents.new_zeros(batch, H, 1, m, width) for width in (1, d, d))

    def decode_step(self, x: Tensor, cache: Cache, at: Tensor) -> Tensor:
        """The next positions, x (B, n, D), given the sums of the past -> (B, n, D)."""
        return self.read(x, cache)

    def read(self, x: Tensor, past: Cache | None) -> Tensor:
        """x (B, n, D) -> (B, n, D), each position looking at what is pooled up to it; the sums are brought up to date."""
        q, k, v = (self.split(part(x)) for part in (self.query, self.key, self.value))  # (B, H, n, d) each
        pooled_k, pooled_v = pool(self.latents, k, v, past)  # (B, H, n, m, d) each
        scores = (pooled_k @ q[..., None])[..., 0] / math.sqrt(q.shape[-1])  # (B, H, n, m, 1) -> (B, H, n, m)
        y = scores.softmax(-1)[..., None, :].to(v.dtype) @ pooled_v  # (B, H, n, 1, m) @ (B, H, n, m, d)
        return self.proj(self.merge_heads(y[..., 0, :]))  # (B, H, n, 1, d) -> (B, H, n, d)


class WrittenOut(PerceiverAttention):
    """The same by the two equations: (T, m, T) weights, no cumulative sums, and no bound on the scores."""

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        q, k, v = (self.split(part(x)) for part in (self.query, self.key, self.value))  # (B, H, T, d) each
        root, T = math.sqrt(q.shape[-1]), x.shape[1]
        down = torch.einsum("hmd,bhsd->bhms", self.latents, k)[:, :, None] / root  # (B, H, 1, m, T)
        past = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()[:, None]  # (T, 1, T)
        pool = down.masked_fill(~past, -math.inf).softmax(-1)  # (B, H, T, m, T)
        pooled_k, pooled_v = (torch.einsum("bhtms,bhsd->bhtmd", pool, part) for part in (k, v))
        back = (torch.einsum("bhtd,bhtmd->bhtm", q, pooled_k) / root).softmax(-1)
        return self.proj(self.merge_heads(torch.einsum("bhtm,bhtmd->bhtd", back, pooled_v)))


def pool(latents: Tensor, k: Tensor, v: Tensor, past: Cache | None = None) -> tuple[Tensor, Tensor]:
    """Running means of k and v (B, H, T, d), weighted by softmax over the past of latent · k / √d: (B, H, T, m, d) each.

    All prefixes at once, by cumulative sums of exp(score), exp(score)·key and exp(score)·value. `past` holds these three
    for all earlier positions, and for these too when this returns.
    """
    scores = (k @ latents.mT.to(k.dtype)).to(torch.promote_types(k.dtype, torch.float32)) / math.sqrt(k.shape[-1])
    weights = scores.clamp(-BOUND, BOUND).exp()[..., None]  # (B, H, T, m, 1)
    before = past or (None, None, None)
    total = _running(weights, before[0])
    pooled_k, pooled_v = (
        _running(weights * part[..., None, :], earlier).div(total).to(k.dtype)
        for part, earlier in zip((k, v), before[1:], strict=True)
    )
    return pooled_k, pooled_v


def _running(terms: Tensor, before: Tensor | None) -> Tensor:
    """Sums of terms (B, H, T, m, w) up to each position, continued from `before` (B, H, 1, m, w), which then holds the last."""
    sums = terms.cumsum(2)
    if before is not None:
        sums = sums + before
        before.copy_(sums[:, :, -1:])
    return sums


register_attention("perceiver", PerceiverAttention)
