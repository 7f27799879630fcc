"""Right answers of notebook 02 for the judge and the tests: layers from PyTorch under the course's names."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.corpora.numbers import EOS, PAD, TARGET_LENGTH, number_tensors, split_numbers
from course_utils.lessons.blocks import load_canonical
from course_utils.lessons.translator import Translator

ENOUGH = 0.99
"""Share of held-out translations that a trained translator must get right."""


def scaled_dot_product(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Result (B, H, Lq, dv) and weights (B, H, Lq, Lk), with a mask of any form that broadcasts."""
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
    weights = torch.where(torch.tensor(True) if mask is None else mask, scores, -math.inf).softmax(-1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, v), weights


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(B, L, D) -> (B, H, L, d): head h owns the columns [h·d, (h+1)·d)."""
    return torch.stack(x.chunk(heads, -1), 1)


def merge_heads(x: Tensor) -> Tensor:
    """(B, H, L, d) -> (B, L, H·d)."""
    return torch.cat(list(x.unbind(1)), -1)


def causal_mask(n: int) -> Tensor:
    """(n, n) booleans, True where j <= i."""
    return torch.arange(n)[None, :] <= torch.arange(n)[:, None]


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    """(B, L) -> (B, 1, 1, L), True where an id is not ``pad``."""
    return ids.ne(pad).unflatten(0, (-1, 1, 1))


def decoder_mask(ids: Tensor, pad: int) -> Tensor:
    """(B, L) -> (B, 1, L, L): causal, and a real token."""
    return torch.logical_and(causal_mask(ids.shape[1]), padding_mask(ids, pad))


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where ``mask`` is True, 0 elsewhere."""
    open_places = mask.expand_as(scores)
    top = torch.where(open_places, scores, -torch.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.0)
    powers = torch.where(open_places, torch.where(open_places, scores - top, 0.0).exp(), 0.0)
    return powers / powers.sum(-1, keepdim=True).clamp_min(torch.finfo(scores.dtype).tiny)


def field_size(layers: int, heads: int, length: int) -> int:
    """The largest receptive field, at most the length."""
    return min(math.prod([1 + heads] * layers), length)


def head_shifts(layers: int, heads: int) -> list[list[int]]:
    """Distances such that no two sums coincide: digits in base h + 1."""
    bases = [(heads + 1) ** layer for layer in range(layers)]
    return [[digit * base for digit in range(1, heads + 1)] for base in bases]


def score_variances(q: Tensor, k: Tensor, heads: int) -> tuple[float, float]:
    """Variance of all heads' dot products (n, D) -> n·H numbers, unscaled and divided by √d."""
    products = torch.stack([(a * b).sum(1) for a, b in zip(q.chunk(heads, 1), k.chunk(heads, 1), strict=True)])
    variance = products.double().var().item()
    return variance, variance / (q.shape[1] // heads)


def saturation(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Entropy (nats) of softmax(scores) over the last axis, and the Frobenius norm of its Jacobian."""
    alpha, logs = scores.double().softmax(-1), scores.double().log_softmax(-1)
    jacobian = torch.diag_embed(alpha) - alpha[..., :, None] * alpha[..., None, :]  # (…, n, n)
    return -(alpha * logs).sum(-1).to(scores.dtype), jacobian.flatten(-2).norm(dim=-1).to(scores.dtype)


def cross_flops(M: int, N: int, k: int) -> int:
    """FLOPs of attention of width k from N to M positions; a test holds it to PyTorch's counter."""
    projections = [2 * positions * k * k for positions in (N, M, M, N)]
    return sum(projections) + 2 * (2 * N * M * k)


def encoder_self_flops(M: int, k: int) -> int:
    """FLOPs of self-attention of width k over M positions."""
    return cross_flops(M, M, k)


def decoder_self_flops(N: int, k: int) -> int:
    """FLOPs of causal self-attention of width k over N positions."""
    return cross_flops(N, N, k)


class MultiHeadAttention(nn.Module):
    """Multi-head attention with four separate projections (Vaswani et al. 2017, section 3.2.2)."""

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        """(B, Lq, D), (B, Lk, D) -> (B, Lq, D)."""

        def split(y: Tensor) -> Tensor:
            return y.unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, L, D) -> (B, L, H, d) -> (B, H, L, d)

        q, k, v = split(self.q_proj(x)), split(self.k_proj(memory)), split(self.v_proj(memory))
        out, _ = scaled_dot_product(q, k, v, mask)
        return self.out_proj(out.transpose(1, 2).flatten(2))  # (B, H, L, d) -> (B, L, H, d) -> (B, L, D)


class EncoderLayer(nn.Module):
    """Post-norm encoder layer without dropout (Vaswani et al. 2017, section 3.1)."""

    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x: Tensor, source_mask: Tensor | None = None) -> Tensor:
        """(B, Ls, D) -> (B, Ls, D)."""
        x = self.norm1(x + self.self_attn(x, x, source_mask))
        return self.norm2(x + self.linear2(F.relu(self.linear1(x))))


class DecoderLayer(nn.Module):
    """Post-norm decoder layer with causal self-attention and cross-attention, without dropout."""

    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attn, self.cross_attn = MultiHeadAttention(d_model, heads), MultiHeadAttention(d_model, heads)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, y: Tensor, memory: Tensor, source_mask: Tensor | None = None) -> Tensor:
        """(B, Lt, D), (B, Ls, D) -> (B, Lt, D)."""
        causal = torch.ones(y.shape[1], y.shape[1], dtype=torch.bool, device=y.device).tril()
        y = self.norm1(y + self.self_attn(y, y, causal))
        y = self.norm2(y + self.cross_attn(y, memory, source_mask))
        return self.norm3(y + self.linear2(F.relu(self.linear1(y))))


class Block(EncoderLayer):
    """Encoder layer with dropout on the result of each step, pre- or post-norm."""

    def __init__(self, d_model: int, heads: int, d_ff: int, dropout: float, pre_norm: bool) -> None:
        super().__init__(d_model, heads, d_ff)
        self.dropout, self.pre_norm = dropout, pre_norm

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """(B, L, D) -> (B, L, D)."""
        for norm, step in (
            (self.norm1, lambda z: self.self_attn(z, z, mask)),
            (self.norm2, lambda z: self.linear2(self.linear1(z).relu())),
        ):
            result = F.dropout(step(norm(x) if self.pre_norm else x), self.dropout, self.training)
            x = x + result if self.pre_norm else norm(x + result)
        return x


def one_big_matrix(small: list[Tensor]) -> Tensor:
    """H times (d, D) -> (H·d, D)."""
    return torch.stack(list(small)).flatten(0, 1)


def translate_all(model: Translator, source: Tensor, tags: list[int], max_words: int) -> list[Tensor]:
    """Greedy words (B, max_words) for each tag, up to EOS, then PAD; the encoder runs once."""
    memory = model.encode(source)
    return [_greedy(model, source, memory, torch.full((len(source),), tag), max_words) for tag in tags]


def _greedy(model: Translator, source: Tensor, memory: Tensor, tag: Tensor, max_words: int) -> Tensor:
    words = tag[:, None]
    for _ in range(max_words):
        words = torch.cat([words, model.decode(words, memory, source)[:, -1:].argmax(-1)], 1)
    said = words[:, 1:]
    return said.masked_fill((said == EOS).cumsum(1) - (said == EOS).long() > 0, PAD)


def extra_language_flops(M: int, N: int, k: int) -> int:
    """FLOPs of both attentions of one decoder layer over N positions with a memory of M."""
    return decoder_self_flops(N, k) + cross_flops(M, N, k)


def shift_right(target: Tensor, tag: Tensor) -> Tensor:
    """The tag, then all ids but the last: (B, T), (B,) -> (B, T)."""
    moved = target.roll(1, 1)
    moved[:, 0] = tag
    return moved


def translation_loss(model: Translator, source: Tensor, tag: Tensor, target: Tensor) -> Tensor:
    """Mean cross-entropy in nats over all tokens that are not PAD, a scalar."""
    real = target != PAD
    return F.cross_entropy(model(source, shift_right(target, tag))[real], target[real])  # (n, V), (n,)


@torch.no_grad()
def translate(model: Translator, source: Tensor, tag: Tensor, max_words: int) -> Tensor:
    """Greedy words (B, max_words) for digits (B, Ls) and language tags (B,), up to EOS, then PAD; the encoder runs once."""
    return _greedy(model, source, model.encode(source), tag, max_words)


def translator_faults(weights: Mapping[str, Tensor]) -> str:
    """One sentence on what is wrong with a translator that is handed in, "" for nothing."""
    shapes = {name: value.shape for name, value in Translator(EncoderLayer, DecoderLayer).state_dict().items()}
    if any(name not in weights or weights[name].shape != shape for name, shape in shapes.items()):
        return (
            "translator.safetensors holds other weights than those of the translator with your two layers: run the cell that "
            "trains it, and hand in anew"
        )
    share = exact_match(weights, split_numbers()[1])
    return "" if share >= ENOUGH else (
        f"the translator that was handed in gets {share:.0%} of the held-out numbers exactly right: delete its file, and run "
        "the cell that trains it to its end"
    )  # fmt: skip


def exact_match(weights: Mapping[str, Tensor], numbers: list[int]) -> float:
    """Share of ``numbers`` x two languages that handed-in translator weights get right, word for word, up to EOS."""
    model = Translator(EncoderLayer, DecoderLayer).eval()
    load_canonical(model, weights)
    source, tag, target = number_tensors(numbers)
    said = translate(model, source, tag, TARGET_LENGTH)
    return (said == target).all(1).double().mean().item()
