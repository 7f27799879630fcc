"""Reference answers of notebook 06: both directions, the causal loss, and three ways to damage a text."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.lessons.pretraining import reverse_rows

Documents = Sequence[Sequence[Sequence[int]]]
Pair = tuple[list[int], list[int], int]


class Elmo(nn.Module):
    """Two one-directional LSTM language models over one embedding (Peters et al. 2018, section 3.1)."""

    def __init__(self, vocab_size: int, width: int, pad: int) -> None:
        super().__init__()
        self.pad = pad
        self.embedding = nn.Embedding(vocab_size, width)
        self.rightwards = nn.LSTM(width, width, batch_first=True)
        self.leftwards = nn.LSTM(width, width, batch_first=True)
        self.head = nn.Linear(width, vocab_size)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """ids (B, T) -> logits about the next and about the previous token (B, T, V), states (B, T, 2·width)."""
        lengths = (ids != self.pad).sum(1)  # (B, T) -> (B,)
        seen_left = self.rightwards(self.embedding(ids))[0]
        seen_right = self.leftwards(self.embedding(reverse_rows(ids, lengths)))[0]
        seen_right = reverse_rows(seen_right, lengths)  # (B, T, width), each state back at its token
        return self.head(seen_left), self.head(seen_right), torch.cat([seen_left, seen_right], -1)


def mean_nats(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """Mean cross-entropy in nats where the target is not ``pad``; logits (B, T, V), targets (B, T)."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad)  # (B, T, V) -> (B·T, V)


def elmo_loss(forward_logits: Tensor, backward_logits: Tensor, ids: Tensor, pad: int) -> Tensor:
    """Mean over predicted next tokens plus mean over predicted previous tokens, in nats."""
    before = ids[:, :-1].masked_fill(ids[:, 1:] == pad, pad)  # a PAD position predicts nothing
    return mean_nats(forward_logits[:, :-1], ids[:, 1:], pad) + mean_nats(backward_logits[:, 1:], before, pad)


def causal_loss(logits: Tensor, ids: Tensor, pad: int) -> Tensor:
    """Mean nats of ids[:, 1:] under logits[:, :-1], PAD targets left out."""
    return mean_nats(logits[:, :-1], ids[:, 1:], pad)


def cheats(model_nats: Sequence[float], true_nats: Sequence[float], alarm: float = 1e-6) -> bool:
    """Whether a model beats the true distribution by more than honest models do with probability ``alarm``.

    For any distribution q, E_p[q/p] <= 1, so P(ln q - ln p >= c) <= exp(-c) by Markov's inequality.
    """
    return sum(true_nats) - sum(model_nats) > math.log(1 / alarm)


def bert_mask(
    ids: Tensor, special: Sequence[int], mask_id: int, vocab_size: int, generator: torch.Generator, rate: float = 0.15
) -> tuple[Tensor, Tensor]:
    """The masked-LM corruption, 80/10/10 (Devlin et al. 2019, section 3.1); ids (B, T) -> x, y (B, T)."""
    chosen = torch.rand(ids.shape, generator=generator) < rate
    chosen &= ~torch.isin(ids, torch.tensor(list(special)))
    words = torch.tensor([i for i in range(vocab_size) if i not in set(special)])
    drawn = words[torch.randint(len(words), ids.shape, generator=generator)]
    lot = torch.rand(ids.shape, generator=generator)
    damaged = torch.where(lot < 0.8, torch.full_like(ids, mask_id), torch.where(lot < 0.9, drawn, ids))
    return torch.where(chosen, damaged, ids), ids.masked_fill(~chosen, -100)


def next_sentence_pairs(documents: Documents, cls: int, sep: int, rng: random.Random) -> list[Pair]:
    """Pairs of sentences, about half of them consecutive, no negative right by accident (Devlin et al. 2019, 3.1)."""
    pairs = []
    for number, document in enumerate(documents):
        for a, true_next in pairwise(document):
            label = int(rng.random() < 0.5)
            b = true_next
            while not label:
                other = rng.randrange(len(documents))
                b = rng.choice(documents[other])
                if other != number and list(b) != list(true_next):
                    break
            first, second = [cls, *a, sep], [*b, sep]
            pairs.append((first + second, [0] * len(first) + [1] * len(second), label))
    return pairs


class PairClassifier(nn.Module):
    """Two logits from the state at [CLS]."""

    def __init__(self, reader: nn.Module, width: int) -> None:
        super().__init__()
        self.reader, self.head = reader, nn.Linear(width, 2)

    def forward(self, ids: Tensor, segments: Tensor) -> Tensor:
        """ids, segments (B, T) -> (B, 2)."""
        return self.head(self.reader.states(ids, segments)[:, 0])  # type: ignore[operator]


def span_counts(n: int, sentinels: int, rate: float, mean_length: float) -> tuple[int, int]:
    """How many of n tokens are taken out, and in how many spans, as the text of the exercise says."""
    if n < 2:
        return 0, 0
    noise = min(max(round(rate * n), 1), n - 1)
    return noise, min(max(round(noise / mean_length), 1), noise, n - noise + 1, sentinels - 1)


def _lengths(total: int, parts: int, rng: random.Random) -> list[int]:
    """``parts`` lengths of at least 1 with this sum, every composition equally likely."""
    cuts = sorted(rng.sample(range(1, total), parts - 1))
    return [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]


def t5_spans(
    ids: Sequence[int], sentinels: Sequence[int], rng: random.Random, rate: float = 0.15, mean_length: float = 3.0
) -> tuple[list[int], list[int]]:
    """Span corruption with sentinels (Raffel et al. 2020, section 3.1.4): source and target."""
    noise, spans = span_counts(len(ids), len(sentinels), rate, mean_length)
    if not spans:
        return list(ids), [sentinels[0]]
    taken = _lengths(noise, spans, rng)
    # spans + 1 gaps, of which the two outer ones may be empty: lend each one token, and take it back
    gaps = _lengths(len(ids) - noise + 2, spans + 1, rng)
    gaps[0], gaps[-1] = gaps[0] - 1, gaps[-1] - 1
    source, target, at = list(ids[: gaps[0]]), [], gaps[0]
    for sentinel, length, gap in zip(sentinels, taken, gaps[1:], strict=False):
        source += [sentinel, *ids[at + length : at + length + gap]]
        target += [sentinel, *ids[at : at + length]]
        at += length + gap
    return source, [*target, sentinels[spans]]


def t5_restore(source: Sequence[int], target: Sequence[int], sentinels: Sequence[int]) -> list[int]:
    """The text again: every sentinel of the source replaced by what follows it in the target."""
    spans: dict[int, list[int]] = {}
    span: list[int] = []
    for token in target:
        if token in sentinels:
            span = spans.setdefault(token, [])
        else:
            span.append(token)
    return [token for part in source for token in (spans.get(part, []) if part in sentinels else [part])]
