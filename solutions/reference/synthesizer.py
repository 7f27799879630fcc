"""Dense synthesizer attention, causal and multi-head (Tay et al. 2020, section 3.1; one set of matrices per head)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.attention import causal_mask, register_attention
from course_utils.config import ModelConfig


class SynthesizerAttention(nn.Module):
    """Y_i = softmax(ReLU(X A_i + b1_i) B_i + b2_i) (X V_i) for each head i, then the output projection.

    Parameters: ``A`` a linear layer with A_1 .. A_H side by side and b1 as its bias, ``B`` (H, d, T), ``b2`` (H, T),
    ``value`` and ``proj`` as in the vanilla attention.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        H, D, T = config.n_head, config.n_embd, config.block_size
        self.n_head, self.dropout = H, config.dropout
        self.A = nn.Linear(D, D)
        self.B = nn.Parameter(0.02 * torch.randn(H, D // H, T))
        self.b2 = nn.Parameter(torch.zeros(H, T))
        self.value = nn.Linear(D, D)
        self.proj = nn.Linear(D, D)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D), for every T up to the block size."""
        q, k = parameter_keys(self.split(self.A(x)).relu(), self.B, self.b2)
        dropout = self.dropout if self.training else 0.0
        v = self.split(self.value(x))
        k = k.expand(len(x), -1, -1, -1)  # (1, H, T, d+1) -> (B, H, T, d+1)
        return self.proj(
            self.merge_heads(F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True, scale=1.0))
        )

    def split(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B, H, T, d)."""
        return x.unflatten(-1, (self.n_head, -1)).transpose(1, 2)  # (B, T, H, d) -> (B, H, T, d)

    def merge_heads(self, y: Tensor) -> Tensor:
        """(B, H, T, d) -> (B, T, D)."""
        return y.transpose(1, 2).flatten(2)  # (B, T, H, d) -> (B, T, D)

    def merge(self, y: Tensor) -> Tensor:
        """Heads merged and projected: (B, H, T, d) -> (B, T, D), as checks of version 0.1 call it."""
        return self.proj(self.merge_heads(y))

    def new_cache(self, batch: int, length: int) -> Tensor:
        """Room for the values alone, since the keys are parameters: (batch, H, length, d)."""
        return self.value.weight.new_zeros(batch, self.n_head, length, self.value.out_features // self.n_head)

    def decode_step(self, x: Tensor, cache: Tensor, at: Tensor) -> Tensor:
        """The positions `at` (n,), x (B, n, D), given the past values in the cache -> (B, n, D)."""
        T = cache.shape[2]
        cache.index_copy_(2, at, self.split(self.value(x)))
        scores = self.split(self.A(x)).relu() @ self.B[..., :T] + self.b2[:, None, :T]  # (B, H, n, T)
        return self.proj(self.merge_heads(scores.masked_fill(~causal_mask(at, T), -torch.inf).softmax(-1) @ cache))


def parameter_keys(hidden: Tensor, B: Tensor, b2: Tensor) -> tuple[Tensor, Tensor]:
    """Queries (B, H, T, d+1) and keys (1, H, T, d+1) whose dot products, unscaled, are hidden B + b2.

    hidden (B, H, T, d) is ReLU(X A + b1), B (H, d, block), b2 (H, block) with block >= T. One more feature, 1 in every query
    and b2 in the keys, carries the bias.
    """
    T = hidden.shape[2]
    keys = torch.cat([B[..., :T].mT, b2[:, :T, None].to(B.dtype)], -1)  # (H, T, d) and (H, T, 1) -> (H, T, d+1)
    queries = torch.cat([hidden, torch.ones_like(hidden[..., :1])], -1)
    return queries, keys[None].to(hidden.dtype)


def vanilla_flops(T: int, D: int) -> int:
    """Floating point operations of one pass of causal multi-head attention over T tokens; masked pairs are counted too."""
    return 8 * T * D * D + 4 * T * T * D


def synthesizer_flops(T: int, D: int) -> int:
    """The same for the synthesizer: no key projection, and the product with B in place of the one with the keys."""
    return 6 * T * D * D + 4 * T * T * D


register_attention("synthesizer", SynthesizerAttention)
