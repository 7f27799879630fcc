"""Causal multi-head self-attention, and the table in which other kinds of attention are registered by name.

An attention is a module made from a ModelConfig whose `forward` takes x (B, T, D) to (B, T, D), for every length
T <= block_size. Nothing else is needed. `register_attention("mine", Mine)` lets `ModelConfig(attention="mine")` use it. An
attention that encodes positions itself declares it by a class attribute `position = "none"`.

Fast generation is optional. An attention may offer two more methods; without them generation reads the whole sequence
again for every new token, which is slower and gives the same result.

- `new_cache(batch, length)`: an empty cache for `batch` sequences of at most `length` tokens;
- `decode_step(x, cache, at)`: x (B, n, D) holds the positions `at` (n,), int64, of all sequences, the next ones in order.
  Write into the cache what later positions need, and return what `forward` would return for these n positions
  (B, n, D). Shapes do not depend on how many tokens there are so far: the whole cache is read, and later positions are masked.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_utils.config import ModelConfig
from course_utils.errors import CourseError

Cache = tuple[Tensor, ...]
ATTENTION: dict[str, type[nn.Module]] = {}


def register_attention(name: str, cls: type[nn.Module]) -> type[nn.Module]:
    """Enter an attention class under a name; a cell may be run again, so a later entry replaces an earlier one."""
    if not (isinstance(cls, type) and issubclass(cls, nn.Module)):
        raise CourseError(f"The attention {name!r} must be a class derived from torch.nn.Module, not {cls!r}.")
    ATTENTION[name] = cls
    return cls


def attention_class(name: str) -> type[nn.Module]:
    """The class entered under `name`, or a CourseError that lists the names."""
    if name not in ATTENTION:
        known = ", ".join(sorted(ATTENTION))
        raise CourseError(f"There is no attention {name!r}; known are {known}. Call register_attention first.")
    return ATTENTION[name]


class CausalSelfAttention(nn.Module):
    """softmax(QKᵀ/√d) V in H heads of width d = D/H; a position sees itself and the past (Vaswani et al. 2017, eq. 1)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.n_head, self.dropout = config.n_head, config.dropout
        self.query = nn.Linear(config.n_embd, config.n_embd)
        self.key = nn.Linear(config.n_embd, config.n_embd)
        self.value = nn.Linear(config.n_embd, config.n_embd)
        self.proj = nn.Linear(config.n_embd, config.n_embd)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)  # (B, H, T, d)
        out: Tensor = self.proj(self.merge_heads(y))
        return out

    def split(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B, H, T, d): head h gets columns h*d .. (h+1)*d - 1."""
        B, T, D = x.shape
        return x.view(B, T, self.n_head, D // self.n_head).transpose(1, 2)  # (B, T, H, d) -> (B, H, T, d)

    def merge_heads(self, y: Tensor) -> Tensor:
        """(B, H, T, d) -> (B, T, D): head h gives columns h*d .. (h+1)*d - 1."""
        B, H, T, d = y.shape
        return y.transpose(1, 2).reshape(B, T, H * d)  # (B, T, H, d) -> (B, T, D)

    def new_cache(self, batch: int, length: int) -> Cache:
        """Empty keys and values, each (batch, H, length, d)."""
        width = self.key.out_features // self.n_head
        return tuple(self.key.weight.new_zeros(batch, self.n_head, length, width) for _ in range(2))

    def decode_step(self, x: Tensor, cache: Cache, at: Tensor) -> Tensor:
        """The positions `at` (n,), x (B, n, D), given the past in the cache -> (B, n, D)."""
        k, v = update_cache(cache, at, self.split(self.key(x)), self.split(self.value(x)))
        q, mask = self.split(self.query(x)), causal_mask(at, k.shape[2])
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # (B, H, n, d)
        out: Tensor = self.proj(self.merge_heads(y))
        return out


def update_cache(cache: Cache, at: Tensor, k: Tensor, v: Tensor) -> Cache:
    """Put keys and values (B, H, n, d) of the positions `at` (n,) into the cache, which is returned whole."""
    for stored, new in zip(cache, (k, v), strict=True):
        stored.index_copy_(2, at, new)
    return cache


def causal_mask(at: Tensor, length: int) -> Tensor:
    """(n, length) of bool: the position at[i] sees itself and the past."""
    return torch.arange(length, device=at.device) <= at[:, None]  # (length,) and (n, 1) -> (n, length)


register_attention("vanilla", CausalSelfAttention)
