"""Cases wider than a check's own, on which a mutant that the check accepts is compared with the oracle.

A mutant counts as equivalent only if it agrees with the oracle here: the declared trials of other seeds; every promise's cases
with sizes, numbers and masks at their ends and beyond, in other number types; the general rules with all cases; samples of
draws that are larger. **What every right answer on file gives as the oracle does lies inside the exercise's domain**; a
case on which one of them differs (a number type that the text does not name, say) is left out.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from random import Random
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.asking import Ask
from course_utils.checks.counts import WAY
from course_utils.checks.draws import FAR, Case, Draw, amount, as_case, derived
from course_utils.checks.promises import Promise, Promises
from course_utils.checks.trials import Trial
from course_utils.checks.trouble import each, layouts, repeatable, unchanged
from course_utils.errors import CourseError

GENERAL = (unchanged, repeatable, layouts)  # the rules that hold for every exercise
CASES = 24  # wide ones of each promise
LARGEST = 300_000  # numbers in a wide case
SEEDS = range(1000, 1004)  # of the declared trials
MORE = 4  # as many draws as the check makes, for a law
SECONDS = 0.6  # of computing that the oracle may take for all
MOST = 600  # of them
TYPES = (torch.float32, torch.float64)
TYPED = r"number type|dtype|(?:float|bfloat)\d\d|\d\d-bit|single precision"


class Wide(Draw):
    """A draw that goes to the ends of what the declaration allows, several sizes at once, and to special numbers."""

    def sizes(self, *, far: tuple[int, int] | None = FAR, **ranges: tuple[int, int]) -> tuple[int, ...]:
        names = list(ranges)
        beyond = self.rng.choice([None, *names]) if far else None
        found = []
        for name in names:
            low, high = ranges[name]
            size = self.rng.choice([low, min(low + 1, high), self.whole(low, high), high])
            found.append(self.rng.randint(high + 1, 2 * high + 20) if name == beyond and low < high else size)
        return tuple(found)

    def uniform(self, low: float, high: float) -> float:
        return self.rng.choice([low, high, self.rng.uniform(low, high), self.rng.uniform(low, high)])

    def log_uniform(self, low: float, high: float) -> float:
        return self.rng.choice([low, high, super().log_uniform(low, high)])

    def normal(self, *shape: int, scale: float = 1.0, dtype: torch.dtype = torch.float64) -> Tensor:
        value = super().normal(*shape, scale=scale, dtype=dtype)
        kind = self.rng.randrange(10)
        special = {
            0: 20 * value,
            1: 1000 * value,
            2: value / 100,
            3: value.round(),
            4: 0 * value,
            5: value.abs(),
            6: -value.abs(),
        }
        return special.get(kind, value)

    def ids(self, *shape: int, low: int, high: int) -> Tensor:
        ends = {0: (low, low), 1: (high, high)}.get(self.rng.randrange(6), (low, high))
        return super().ids(*shape, low=ends[0], high=ends[1])

    def mask(self, *shape: int, blocked: float = 0.4) -> Tensor:
        return super().mask(*shape, blocked=self.rng.choice([0.0, blocked, blocked, 0.95]))


def probes(declared: Promises, text: str, seconds: float = SECONDS) -> list[Trial]:
    """Wide trials of all kinds in turn, as many as the oracle answers in the time given.

    Args:
        text: the exercise's own; number types are changed only where it speaks of them.
    """
    types = TYPES if re.search(TYPED, text) else ()
    found: list[Trial] = []
    ends = time.process_time() + seconds
    kinds = [
        _seeds(declared),
        *(_wide(declared, n, types) for n in range(len(declared.kept))),
        *_rules(declared),
        _laws(declared),
    ]
    for trials in zip_longest(*kinds):
        found += filter(None, trials)
        if time.process_time() > ends or len(found) > MOST:
            break
    return found


def _seeds(declared: Promises) -> Iterator[Trial]:
    for seed in SEEDS:
        for number in range(len(declared.kept) + len(declared.always)):
            yield from _told(declared, number, seed)


def _wide(declared: Promises, number: int, types: Sequence[torch.dtype]) -> Iterator[Trial]:
    """A promise's cases, drawn wide; those it has of its own, if they are a list."""
    one = declared.kept[number]
    if not callable(one.cases) or (one.agree or declared.agree).law or (one.agree or declared.agree).counts:
        return
    for n in range(CASES):
        for case in _drawn(one, n, types):
            yield from _numbered(_told(_alone(declared, one, [case]), 0, 0), number)


def _drawn(one: Promise, n: int, types: Sequence[torch.dtype]) -> list[Case]:
    """One wide case, sometimes in another number type; none where it cannot be drawn so."""
    seed = derived(7, one.sentence)
    try:
        case = as_case(one.cases((Wide if n % 4 else Draw)(seed, n)))  # type: ignore[operator]
    except Exception:  # a draw that the declaration does not allow
        return []
    kind = Random(seed + n).choice([None, None, *types])
    return [_cast(case, kind) if kind else case] if amount(case) <= LARGEST else []


def _cast(case: Case, kind: torch.dtype) -> Case:
    def change(value: Tensor) -> Tensor:
        return value.to(kind)

    return Case(each(case.args, change), each(case.kwargs, change), each(case.setup, change))


def _rules(declared: Promises) -> Iterator[Iterator[Trial]]:
    """The general rules, and those declared, with the cases of each promise by itself."""
    rules = (*declared.always, *(one for one in GENERAL if one not in declared.always))
    for number, one in enumerate(declared.kept):
        if not (one.agree or declared.agree).law and not (one.agree or declared.agree).counts and one.want is None:
            alone = replace(_alone(declared, replace(one, trouble=True), one.cases), always=rules)
            told = (_told(alone, n, seed) for seed in (1, 2) for n in range(1, len(rules) + 1))
            yield _numbered(chain.from_iterable(told), number)


def _laws(declared: Promises) -> Iterator[Trial]:
    """Laws with more draws than the check has."""
    for number, one in enumerate(declared.kept):
        agree, ask = one.agree or declared.agree, one.ask or declared.ask
        if agree.law or agree.counts:
            larger = replace(one, ask=_more(ask))
            yield from _numbered(_told(_alone(declared, larger, one.cases), 0, 77), number)


def _more(ask: Ask) -> Ask:
    place = 2 if ask.way.startswith(WAY) else 1
    options = list(ask.options)
    if len(options) > place and type(options[place]) is int:
        options[place] *= MORE
    return replace(ask, options=tuple(options))


def _alone(declared: Promises, one: Promise, cases: Any) -> Promises:
    return replace(declared, kept=(replace(one, cases=cases),))


def _numbered(trials: Iterable[Trial], number: int) -> Iterator[Trial]:
    yield from (replace(trial, promise=number) for trial in trials)


def _told(made: Promises, number: int, seed: int) -> list[Trial]:
    """The trials; none where the oracle has no answer, since the case lies outside of its domain."""
    try:
        return made.trials(number, seed)
    except (CourseError, ArithmeticError, LookupError, RuntimeError, TypeError, ValueError, AssertionError):
        return []
