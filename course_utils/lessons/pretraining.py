"""Helpers of notebook 06: a bidirectional or causal Transformer, padded rows, and an exact binomial test."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from course_utils.errors import CourseError

FALSE_ALARM = 1e-7
"""Probability that a test of a share rejects a right answer: of 1,000 checks with 30 tests each, 0.003 err on average."""

PAD = 0


class Reader(nn.Module):
    """A small Transformer over ids (PAD is 0) with learned positions and, optionally, two segments; pre-norm blocks.

    Args:
        longest: largest number of tokens in a row.
        causal: whether a position sees only itself and the past; else it sees the whole row.
    """

    def __init__(
        self, vocab_size: int, longest: int, width: int = 64, heads: int = 4, layers: int = 2, *, causal: bool = False
    ) -> None:
        super().__init__()
        self.causal, self.width = causal, width
        self.word, self.place = nn.Embedding(vocab_size, width), nn.Embedding(longest, width)
        self.segment = nn.Embedding(2, width)
        for table in (self.word, self.place, self.segment):
            nn.init.normal_(table.weight, std=0.1)  # with torch's 1.0 the blocks' contribution would be too small
        block = nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(block, layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.head = nn.Linear(width, vocab_size)

    def states(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """ids and, if given, segments (B, T), each 0 or 1 -> states (B, T, width). No row may be PAD alone.

        Raises CourseError for rows longer than the model's positions.
        """
        T, longest = ids.shape[1], self.place.num_embeddings
        if longest < T:
            raise CourseError(f"The rows have {T} tokens, this model reads {longest}; shorten them.")
        h = self.word(ids) + self.place.weight[:T]  # (B, T, D) + (T, D)
        if segments is not None:
            h = h + self.segment(segments)
        hidden = torch.ones(T, T, dtype=torch.bool, device=ids.device).triu(1) if self.causal else None
        return self.blocks(h, mask=hidden, src_key_padding_mask=ids == PAD)

    def forward(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """ids (B, T) -> logits (B, T, V) at every position."""
        return self.head(self.states(ids, segments))


@torch.no_grad()
def sample_lines(model: nn.Module, n: int, longest: int, seed: int, start: int = 1, end: int = 2) -> list[list[int]]:
    """n lines sampled from the model, each from ``start`` to ``end`` or to the largest length.

    Args:
        model: ids (n, T) -> logits (n, T, V), of which the last position's are used.
        longest: largest number of tokens in a line, ``start`` included.
        start, end: ids of [CLS] and [SEP].
    """
    draw = torch.Generator().manual_seed(seed)
    ids, open_ = torch.full((n, 1), start), torch.ones(n, dtype=torch.bool)
    while ids.shape[1] < longest and bool(open_.any()):
        shares = model(ids)[:, -1].softmax(-1)  # (n, T, V) -> (n, V)
        token = torch.multinomial(shares, 1, generator=draw)[:, 0].masked_fill(~open_, PAD)  # (n, 1) -> (n,)
        open_ &= token != end
        ids = torch.cat([ids, token[:, None]], 1)  # (n, T) and (n, 1) -> (n, T+1)
    return [[i for i in row if i != PAD] for row in ids.tolist()]


def padded(rows: Sequence[Sequence[int]], pad: int = PAD) -> Tensor:
    """Rows of different length as one int64 tensor (B, T), padded on the right; T is the largest length.

    Raises CourseError without rows.
    """
    if not rows:
        raise CourseError("There are no rows to put into a batch.")
    width = max(map(len, rows))
    return torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows], dtype=torch.int64)


def similar_lengths(order: Sequence[int], lengths: Sequence[int], size: int, window: int) -> list[list[int]]:
    """The indices in ``order`` as batches of ``size`` with little padding: sorted by length in windows of ``window`` batches.

    Sorting the whole epoch would make the same batches every time.
    """
    found: list[list[int]] = []
    for start in range(0, len(order), window * size):
        places = sorted(order[start : start + window * size], key=lambda i: lengths[i])
        found += [places[k : k + size] for k in range(0, len(places), size)]
    return found


def reverse_rows(x: Tensor, lengths: Tensor) -> Tensor:
    """Each row b of x (B, T) or (B, T, D) with its first ``lengths[b]`` positions reversed and the others unchanged.

    Twice gives x again. Raises CourseError unless there is one length per row, none above T.
    """
    B, T = x.shape[:2]
    if lengths.shape != (B,) or bool((lengths > T).any()):
        raise CourseError(f"{B} rows of {T} places need {B} lengths up to {T}; got lengths {lengths.tolist()}.")
    place = torch.arange(T, device=x.device).expand(B, T)  # (T,) -> (B, T)
    source = torch.where(place < lengths[:, None], lengths[:, None] - 1 - place, place)  # (B, T)
    return x[torch.arange(B, device=x.device)[:, None], source]  # (B, T, …) indexed by (B, 1) and (B, T)


def two_sided_p(k: int, n: int, p: float) -> float:
    """P value of the exact binomial test: twice the smaller tail of Bin(n, p) at k, at most 1.

    Raises CourseError unless 0 <= k <= n and 0 <= p <= 1.
    """
    if not 0 <= k <= n or not 0 <= p <= 1:
        raise CourseError(f"{k} of {n} with probability {p} is no binomial count.")
    low = math.fsum(_binomial(i, n, p) for i in range(k + 1))
    high = math.fsum(_binomial(i, n, p) for i in range(k, n + 1))
    return min(1.0, 2 * min(low, high))


def _binomial(k: int, n: int, p: float) -> float:
    """P(Bin(n, p) = k), computed with logarithms, so that no factorial overflows."""
    if p in (0.0, 1.0):
        return float(k == n * p)
    choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(choose + k * math.log(p) + (n - k) * math.log1p(-p))
