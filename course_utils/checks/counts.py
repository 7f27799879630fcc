"""Laws of discrete draws: counts of the student's results against counts of the reference's.

The way to ask, :func:`draws`, calls the function many times with generators of different states (or with one generator as
it stands) and counts features of the results; ``by_law`` compares the counts with the reference's (``samples``). Features
are named by a *reader* of the lesson: ``reader(args, result)`` for one call gives layers, each a whole number per place,
-1 where the layer has none:

    def fates(args, result):
        return {"fate": tensor (B, T), "word": tensor (B, T)}    # or raise CheckFailed for what can never come

All numbers of a layer are promised to be independent and of one law: none goes together with another, however far apart
(``repeats``). :func:`features` makes of them: single numbers, also by
place and row; pairs of neighbours in a row, in a column and in calls that follow each other, only of numbers that are
there (so that a layer for a rare branch is a condition on it); totals per row and per call. ``by_call=True`` is for layers
whose numbers in one call may have any joint law: then only calls are independent units.

**False alarms.** A trial refuses a right answer with probability at most :data:`ALARM`; see :func:`bound`. What ``repeats`` adds
is a hundred-thousandth of it for each layer and category.
For numbers that are not whole see ``laws``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.agree import Agree
from course_utils.checks.asking import Ask, call, load, opened, sent
from course_utils.checks.compare import CheckFailed, difference, plain
from course_utils.checks.draws import Case, Seeded
from course_utils.checks.occasions import RADIX, SINGLE, TOTALS
from course_utils.checks.repeats import distance
from course_utils.checks.samples import Sample, counted
from course_utils.errors import CourseError

ALARM = 1e-7  # of one trial; a check has at most ``MOST`` of them
MOST = 60
FEW = 12  # categories up to which pairs are looked at category by category, and not only whether they are alike
WIDE = 24  # rows and places up to which each is looked at by itself
STANDING, MOVED = "one generator as it stands", "a state for each call"
PLACES, CALLS = "places", "calls"  # what is independent of each other
WAY = "course_utils.checks.counts."


def draws(name: str, reader: str, calls: int, *, one_generator: bool = False, by_call: bool = False) -> Ask:
    """Ask for a sample: ``calls`` calls of the function ``name``, read by ``reader`` (full name of a function).

    Args:
        one_generator: one generator for all calls, as it stands; else each call's has a state of its own.
        by_call: whether only calls are independent of each other, and not the numbers inside of one.
    """
    return Ask(
        WAY + "sampled", (name, reader, calls, STANDING if one_generator else MOVED, CALLS if by_call else PLACES)
    )


def by_law(alarm: float = ALARM) -> Agree:
    """Samples agree unless laws that are equal would differ so much with probability below ``alarm``."""
    return Agree(counts=alarm)


def alike(name: str) -> Ask:
    """Ask whether two calls with generators in the same state give the same, whatever other generators do meanwhile."""
    return Ask(WAY + "twice", (call(name),))


def bound(trials: int) -> float:
    """The largest probability that a check with so many trials of counts refuses a right answer."""
    if trials > MOST:
        raise CourseError(f"A check has at most {MOST} trials of counts, not {trials}: ask for more draws in each.")
    return trials * ALARM


# ------------------------------------------------------------------------------------------------------------ asking


def sampled(student: Any, case: Case, name: str, reader: str, calls: int, states: str, unit: str) -> Sample:
    """The sample that :func:`draws` asks for. Raises CheckFailed for results that the reader refuses."""
    function, read = getattr(student, name), load(reader)
    if case.kwargs:
        raise CourseError("Draws are asked for with positional arguments alone: leave out keyword arguments.")
    results = student.map(function, _rows(student, case.args, calls, states))
    readings = [read(case.args, opened(found)) for found in results]
    made = features(readings, by_call=unit == CALLS)
    if unit == PLACES:
        require_apart(readings)
    return counted(made)


def require_apart(readings: Sequence[dict[str, Tensor]]) -> None:
    """Raise CheckFailed where a layer's numbers repeat themselves at some distance (``repeats``)."""
    for layer in readings[0]:
        if (far := distance(torch.stack([one[layer].flatten() for one in readings]))) is not None:  # (N, places)
            name = layer.partition(" (")[0]
            raise CheckFailed(f"{name}: draws that are {far:,} apart go together; each is drawn by itself")


def _keep(value: Any) -> Any:
    return value


def _rows(student: Any, args: Sequence[Any], calls: int, states: str) -> list[tuple[Any, ...]]:
    if states == STANDING:
        return [tuple(sent(student, value) for value in args)] * calls
    return [tuple(sent(student, _moved(value, k)) for value in args) for k in range(calls)]


def _moved(value: Any, k: int) -> Any:
    """A generator in the k-th state of its own; other values as they are."""
    return Seeded(value.seed + 7919 * k, value.flavour) if isinstance(value, Seeded) else value


def twice(student: Any, case: Case, inner: Ask) -> bool:
    """Whether two calls alike give the same."""
    one, two = (plain(inner(student, case), _keep) for _ in range(2))
    return difference(one, two) is None


# ---------------------------------------------------------------------------------------------------------- features


def features(readings: Sequence[dict[str, Tensor]], *, by_call: bool = False) -> dict[str, Tensor]:
    """Independent units of every feature, from what the reader gave for each call. Raises CheckFailed for unequal forms."""
    found: dict[str, Tensor] = {}
    for layer in readings[0]:
        if any(one[layer].shape != readings[0][layer].shape for one in readings):
            raise CheckFailed("the results of equal calls differ in form")
        values = torch.stack([one[layer].long() for one in readings])  # (N, ...) -> (N, B, T)
        values = values.reshape(len(values), -1, values.shape[-1] if values.dim() > 1 else 1)
        made = _of_calls(values) if by_call else _of_places(values)
        found |= {f"{layer}, {name}": numbers for name, numbers in made.items()}
    return found


def _of_places(values: Tensor) -> dict[str, Tensor]:
    """Features of independent numbers of one law; values (N, B, T), -1 where there is none."""
    n, B, T = values.shape
    base = max(int(values.max()) + 1, 1)
    found = {SINGLE: values[values >= 0]}
    for name, index in (("place", torch.arange(T).expand(n, B, T)), ("row", torch.arange(B)[:, None].expand(n, B, T))):
        if 1 < int(index.max()) + 1 <= WIDE and base <= FEW:
            found[f"by {name}"] = (index * RADIX + values)[values >= 0]
    orders = {"a row": values, "a column": values.transpose(1, 2), "other calls": values.permute(1, 2, 0)}
    for name, order in orders.items():
        lines = order.reshape(-1, order.shape[-1])
        for kind, pairs in (("pairs", _following(lines)), ("neighbours", _adjacent(lines))):
            found[f"{kind} alike in {name}"] = pairs[:, 0] == pairs[:, 1]
            if base <= FEW:
                found[f"{kind} in {name}"] = pairs[:, 0] * RADIX + pairs[:, 1]
    for name, groups in (("row", values.reshape(n * B, T)), ("call", values.reshape(n, B * T))):
        if len(groups) > 1 and groups.shape[1] > 1:
            found |= {f"number of {k} per {name}": _totals(groups, k) for k in range(min(base, 5))}
    return found


def _following(lines: Tensor) -> Tensor:
    """Along each line (R, L), of the numbers that are there, first with second, third with fourth, …: pairs (P, 2)."""
    there = lines >= 0
    rank = there.cumsum(1) - 1  # (R, L), of the numbers that are there
    paired = there & (rank < 2 * (there.sum(1, keepdim=True) // 2))
    return lines[paired].reshape(-1, 2)


def _adjacent(lines: Tensor) -> Tensor:
    """Along each line (R, L) first with second, third with fourth, … place, where both numbers are there: pairs (P, 2)."""
    pairs = lines[:, : lines.shape[1] // 2 * 2].reshape(-1, 2)
    return pairs[(pairs >= 0).all(1)]


def _totals(groups: Tensor, k: int) -> Tensor:
    """How often k comes in each group (R, L), together with how many numbers there are."""
    return (groups >= 0).sum(1) * TOTALS + (groups == k).sum(1)


def _of_calls(values: Tensor) -> dict[str, Tensor]:
    """Features of independent calls; values (N, B, T), -1 where there is none."""
    lines = values.flatten(1) + 1  # (N, L), 0 where there is none
    base = int(lines.max()) + 1
    found = {f"place {t}": lines[:, t] for t in range(lines.shape[1])}
    found |= {f"places {t} and {t + 1}": lines[:, t] * RADIX + lines[:, t + 1] for t in range(lines.shape[1] - 1)}
    found |= {f"number of {k - 1} per call": (lines == k).sum(1) for k in range(1, min(base, 6))}
    even, odd = lines[0::2], lines[1::2]
    code = even[: len(odd)] * RADIX + odd
    found |= {f"place {t} in pairs of calls": code[:, t] for t in range(lines.shape[1])}
    return found


__all__ = ["ALARM", "alike", "bound", "by_law", "draws", "features"]
