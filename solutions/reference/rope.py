"""The rotary position embedding and the causal self-attention that uses it (Su et al. 2021, section 3.2)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.attention import Cache, CausalSelfAttention, causal_mask, register_attention, update_cache
from course_utils.config import ModelConfig
from course_utils.errors import CourseError


def rotary_angles(length: int, d: int, base: float = 10000.0, device: torch.device | str | None = None) -> Tensor:
    """Angles (length, d/2): entry [t, m] is t * base^(-2m/d). Computed in float64, kept in float32.

    Raises CourseError for odd d: coordinates turn in pairs.
    """
    if d % 2:
        raise CourseError(f"Rotary positions turn pairs of coordinates, so a head's width must be even, not {d}.")
    speeds = float(base) ** (-torch.arange(0, d, 2, dtype=torch.float64, device=device) / d)  # (d/2,)
    return torch.outer(torch.arange(length, dtype=torch.float64, device=device), speeds).float()


def apply_rotary(x: Tensor, angles: Tensor) -> Tensor:
    """Turn pair m (coordinates 2m and 2m+1) of row t by angles[t, m]: x (B, H, L, d), angles (T >= L, d/2) -> as x."""
    cos, sin = (f(angles[: x.shape[-2]]).to(x.dtype) for f in (torch.cos, torch.sin))  # (L, d/2)
    a, b = x[..., 0::2], x[..., 1::2]  # (B, H, L, d/2) each
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)  # (B, H, L, d/2, 2) -> (B, H, L, d)


class RotaryCausalSelfAttention(CausalSelfAttention):
    """Causal self-attention whose queries and keys are turned by their positions; the model needs no others."""

    position = "none"

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        angles = rotary_angles(config.block_size, config.n_embd // config.n_head)
        self.register_buffer("angles", angles, persistent=False)  # follows from the config: not worth a place in a file
        self.angles: Tensor

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        q, k = (apply_rotary(self.split(part(x)), self.angles) for part in (self.query, self.key))
        dropout = self.dropout if self.training else 0.0
        v = self.split(self.value(x))
        return self.proj(self.merge_heads(F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)))

    def decode_step(self, x: Tensor, cache: Cache, at: Tensor) -> Tensor:
        """The positions `at` (n,), x (B, n, D), given the past in the cache (its keys are turned already) -> (B, n, D)."""
        q, k = (apply_rotary(self.split(part(x)), self.angles[at]) for part in (self.query, self.key))
        k, v = update_cache(cache, at, k, self.split(self.value(x)))
        return self.proj(
            self.merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=causal_mask(at, k.shape[2])))
        )


register_attention("rope", RotaryCausalSelfAttention)
