"""Probes for the checks of notebook 06: functions that run in the student's process, and the judge's part.

A fetched function fills a classifier with weights that the judge drew and returns outputs and slopes (gradients). The judge
decides whether these are right and whether a model learns from them: it makes the optimiser's steps itself and computes the
loss from the outputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.checks.compare import CheckFailed
from course_utils.checks.fetch import fetches

LEARNT = 0.05  # mean loss in nats over a batch of 64 rows; a model that has learned nothing has ln 2 = 0.69

Weights = Mapping[str, Tensor]


# ------------------------------------------------------------------------------------------ in the student's process


def _fill(parameters: Mapping[str, Tensor], weights: Weights) -> None:
    with torch.no_grad():
        for name, value in weights.items():
            parameters[name].copy_(value)


def _slopes(parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: torch.zeros_like(p) if p.grad is None else p.grad for name, p in parameters.items()}


class TableReader(nn.Module):
    """A reader whose states the judge can compute: mixing @ (word[ids] + segment[segments])."""

    def __init__(self, word: Tensor, segment: Tensor, mixing: Tensor) -> None:
        super().__init__()
        self.word, self.segment = nn.Parameter(word.clone()), nn.Parameter(segment.clone())
        self.mixing = nn.Parameter(mixing.clone())

    def states(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """(B, T) -> (B, T, D)."""
        x = self.word[ids] if segments is None else self.word[ids] + self.segment[segments]
        return self.mixing @ x  # (T, T) @ (B, T, D) -> (B, T, D)

    def forward(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """Logits (B, T, D + 3), which a classifier should not read."""
        return F.pad(self.states(ids, segments), (0, 3))


@fetches("logits of a classifier over a reader that the judge drew, and where one step of its own parameters leads")
def verdict(
    make: Callable[..., nn.Module], tables: Weights, head: Weights | None, ids: Tensor, segments: Tensor,
    upstream: Tensor | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Run ``make(reader, D)`` over a TableReader of these tables, its own parameters filled with ``head``.

    Returns:
        ``logits`` (B, 2); ``head``, its own parameters by name; with ``upstream`` also ``slopes`` of (logits · upstream).sum()
        in them, and ``tables``, those of the reader after a step of rate 1 on all parameters of the classifier.
        ``owned``: whether the reader is among its modules. Without ``upstream`` also ``mode``, whether the reader is in
        training mode after a call in training mode, and ``again``, the logits after calls with other ids in both modes.
    """
    reader = TableReader(**dict(tables))
    theirs = {id(p) for p in reader.parameters()}
    model = make(reader, tables["word"].shape[1]).eval()
    own = {name: p for name, p in model.named_parameters() if id(p) not in theirs}
    _fill(own, head or {})
    logits = model(ids, segments)
    if upstream is not None and isinstance(logits, Tensor) and logits.shape == upstream.shape and logits.requires_grad:
        (logits * upstream).sum().backward()
        with torch.no_grad():
            for p in model.parameters():
                if id(p) in theirs and p.grad is not None:
                    p.sub_(p.grad)
    owned = any(part is reader for part in model.modules())
    after = {name: p.detach() for name, p in reader.named_parameters()}
    values = {name: p.detach() for name, p in own.items()}
    found = {"logits": logits, "head": values, "slopes": _slopes(own), "tables": after, "owned": owned}
    if upstream is None:
        others = (ids + 1) % len(tables["word"])
        model.train()
        reader.train()
        model(others, segments)
        found["mode"] = reader.training
        model.eval()
        model(others, segments)
        found["again"] = model(ids, segments)
    return found


# ------------------------------------------------------------------------------------------------------ in the judge


def fitting(got: Any, like: Weights) -> dict[str, Tensor]:
    """Tensors by name as in ``like``, in its shapes, all finite. Raises CheckFailed for anything else."""
    if type(got) is not dict or set(got) != set(like):
        raise CheckFailed("the model's parameters are not the same in two calls: create them all in __init__")
    for name, value in like.items():
        if type(got[name]) is not Tensor or got[name].shape != value.shape or not bool(got[name].isfinite().all()):
            raise CheckFailed("a gradient has another shape than its parameter, or is not finite")
    return {name: got[name].detach().to(value.dtype) for name, value in like.items()}


def unlike_slopes(
    loss_of: Callable[[Weights], float], at: Weights, slopes: Weights, generator: torch.Generator, reach: float = 0.01
) -> float:
    """Largest relative difference, over the tensors, of ``slopes`` from finite differences of the judge's loss.

    Each tensor alone is moved by ±``reach`` along the sum of its normalised slopes and a random direction.
    """
    worst = 0.0
    longest = max(float(g.norm()) for g in slopes.values())
    for name, g in slopes.items():
        drawn = torch.randn(g.shape, generator=generator)
        way = drawn / drawn.norm() + (g / g.norm() if g.norm() > 1e-6 else 0)
        plus, minus = (loss_of({**at, name: at[name] + sign * reach * way}) for sign in (1, -1))
        measured, claimed = (plus - minus) / (2 * reach), float((g * way).sum())
        off = abs(measured - claimed) / max(abs(measured), abs(claimed), 0.02 * longest, 1e-3)
        if not math.isfinite(off):  # NaN > x is false, so max would ignore it
            raise CheckFailed("the model's output is not a finite number for weights near its own")
        worst = max(worst, off)
    return worst


class SmallReader(nn.Module):
    """One attention layer over words, positions and segments: states (B, T, D) of ids (B, T)."""

    def __init__(self, vocab_size: int, longest: int, width: int = 32) -> None:
        super().__init__()
        self.word, self.place = nn.Embedding(vocab_size, width), nn.Embedding(longest, width)
        self.segment = nn.Embedding(2, width)
        self.layer = nn.TransformerEncoderLayer(width, 2, 2 * width, 0.0, batch_first=True, norm_first=True)

    def states(self, ids: Tensor, segments: Tensor) -> Tensor:
        """(B, T) -> (B, T, D)."""
        return self.layer(self.word(ids) + self.place.weight[: ids.shape[1]] + self.segment(segments))


Ask = Callable[[Weights, Weights | None, Tensor, Tensor, Tensor | None], dict[str, Any]]  # verdict, its class left out


def learned_side(ask: Ask, seed: int, steps: int = 150, tries: int = 4) -> float:
    """Accuracy on 400 hidden rows after a short training over a reader of the judge: is word 3 in the second segment?

    Every row has the word once, beside the border between the segments, which is drawn for each row. So the task cannot be
    solved unless the reader is trained too. About one training in fifty stays at chance although nothing is wrong, so up
    to ``tries`` are made and the best one counts.
    """
    best = 0.0
    for k in range(tries):
        best = max(best, _side_accuracy(ask, tries * seed + k, steps))
        if best > 0.9:
            break
    return best


def _side_accuracy(ask: Ask, seed: int, steps: int) -> float:
    """The accuracy after one training, which ends when a batch is solved: a right answer needs 10 to 52 of 150 steps."""
    rng = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    reader, head = SmallReader(20, 10), _first_head(ask)
    optimizer = torch.optim.Adam([*reader.parameters(), *head.values()], lr=5e-3)
    for _ in range(steps):
        ids, segments, labels = _rows(64, rng)
        states = reader.states(ids, segments)
        logits = _logits(ask, states, head, segments)
        # the gradient of the mean cross-entropy, (B, 2)
        upstream = (logits.softmax(-1) - F.one_hot(labels, 2)) / len(labels)
        got = _asked(ask, states, head, segments, upstream)
        optimizer.zero_grad()
        tables = fitting(got["tables"], _as_tables(states))
        # a step of rate 1 subtracted the gradient: (B·T, D) -> (B, T, D)
        states.backward(states.detach() - tables["word"].view_as(states))
        for name, slope in fitting(got["slopes"], head).items():
            head[name].grad = slope
        optimizer.step()
        if F.cross_entropy(logits, labels) < LEARNT:
            break
    ids, segments, labels = _rows(400, rng)
    with torch.no_grad():
        return float((_logits(ask, reader.states(ids, segments), head, segments).argmax(-1) == labels).float().mean())


def _first_head(ask: Ask) -> dict[str, Tensor]:
    states = torch.zeros(1, 2, 32)
    found = _asked(ask, states, None, torch.zeros(1, 2, dtype=torch.int64), None)["head"]
    return {name: nn.Parameter(value.clone()) for name, value in fitting(found, found).items()}


def _as_tables(states: Tensor) -> dict[str, Tensor]:
    """Tables of a reader that gives exactly these states (B, T, D) for the ids 0 … B·T-1."""
    words = states.detach().flatten(0, 1)  # (B, T, D) -> (B·T, D)
    return {"word": words, "segment": torch.zeros(2, words.shape[1]), "mixing": torch.eye(states.shape[1])}


def _asked(ask: Ask, states: Tensor, head: Weights | None, segments: Tensor, upstream: Tensor | None) -> dict[str, Any]:
    ids = torch.arange(states.shape[0] * states.shape[1]).view(states.shape[:2])  # (B·T,) -> (B, T)
    weights = None if head is None else {name: value.detach().clone() for name, value in head.items()}
    return ask(_as_tables(states), weights, ids, segments, upstream)


def _logits(ask: Ask, states: Tensor, head: Weights, segments: Tensor) -> Tensor:
    found = _asked(ask, states, head, segments, None)
    return fitting({"logits": found["logits"]}, {"logits": torch.zeros(len(states), 2)})["logits"]


def _rows(n: int, rng: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """n rows of 10 ids (the first is 1), their segments (n, 10), and whether word 3 stands in the second one (n,)."""
    ids = torch.randint(4, 20, (n, 10), generator=rng)
    ids[:, 0] = 1
    border = torch.randint(2, 10, (n,), generator=rng)
    segments = (torch.arange(10) >= border[:, None]).long()  # (10,) against (n, 1) -> (n, 10)
    spot = border - torch.randint(0, 2, (n,), generator=rng)  # beside the border, so that the position says little
    ids[torch.arange(n), spot] = 3
    return ids, segments, segments[torch.arange(n), spot]
