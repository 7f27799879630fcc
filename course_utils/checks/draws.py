"""How a promise's cases are drawn: sizes, numbers and choices that come round, from one seed.

A way to draw is a function of one :class:`Draw` that returns the arguments of a call. It is called once per case with
another ``Draw``; ``each`` and ``sizes`` go through their possibilities in turn, so that a handful of cases meets all.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Literal, TypeVar

import numpy as np
import torch
from torch import Tensor

from course_utils.checks.weights import random_weights

T = TypeVar("T")
SPAN = 3  # how far above its lowest value a size goes in a case that people look at
FAR = (70, 140)  # a size beyond what is usual: no table or loop made for small cases reaches it
FAR_SHOWN = (33, 40)  # the same in a case that people look at
JUDGES = ("bounds", "allowed", "places")  # parts of a case's setup that say what is right: no input
GRAIN = 2.0**20  # numbers of a balanced tensor are whole multiples of 1/GRAIN, so that every sum of them is exact


@dataclass(frozen=True)
class Seeded:
    """A random generator as an argument: every call gets a fresh one in the same state."""

    seed: int
    flavour: Literal["torch", "python", "numpy"] = "torch"

    def fresh(self) -> Any:
        """The generator."""
        if self.flavour == "torch":
            return torch.Generator().manual_seed(self.seed)
        return random.Random(self.seed) if self.flavour == "python" else np.random.default_rng(self.seed)


@dataclass(frozen=True)
class Named:
    """The student's function or class of this name as an argument."""

    name: str


@dataclass(frozen=True)
class Made:
    """What a course tool (marked with ``fetches``) makes on the student's side, as an argument: a stand-in for a model."""

    tool: str
    args: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Case:
    """What one call is given.

    Attributes:
        args: positional arguments.
        kwargs: keyword arguments.
        setup: what comes before the call, by name (a class's arguments, its weights); no trouble is made with these.
    """

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    setup: dict[str, Any] = field(default_factory=dict)


class Draw:
    """Randomness of one case.

    Args:
        seed: of the promise.
        number: of the case, from 0.
        small: whether people will look at the case; sizes then stay near their lowest values.
        edge: the number of one size that is not fixed, counted through all of ``sizes``, and whether it is far beyond its
            range (True) or at its low end (False), while all others stay near their lowest values; None for usual sizes.
        balanced: whether the entries of every normal tensor add up to exactly 0.
        twin: whether tensors have other numbers than those of the same case without ``twin``; sizes are the same.
        again: how often the case has been drawn before: what comes round in turn stays, numbers and free sizes are others.

    Attributes:
        rng: Python's generator.
        torch: torch's generator, on the CPU.
        most: how many cases it takes to meet each option of every ``each``.
        open: how many sizes of the case are not fixed, as far as they were drawn.
    """

    def __init__(
        self,
        seed: int,
        number: int = 0,
        *,
        small: bool = False,
        edge: tuple[int, bool] | None = None,
        balanced: bool = False,
        twin: bool = False,
        again: int = 0,
    ) -> None:
        self.seed, self.number, self.small, self.edge, self.balanced = seed, number, small, edge, balanced
        self.rng = random.Random(f"case {seed}/{number}{f' again {again}' if again else ''}")
        self.torch = torch.Generator().manual_seed(self.rng.getrandbits(62) ^ twin)
        self.most, self.open, self._asked = 1, 0, 0

    def each(self, *options: T) -> T:
        """One of the options; the first one in case 0, and each of them once in as many cases as there are options."""
        self._asked += 1
        self.most = max(self.most, len(options))
        lap, place = divmod(self.number, len(options))
        order = list(range(len(options)))
        later = order if lap else order[1:]
        random.Random(f"order {self.seed}/{self._asked}/{lap}").shuffle(later)
        order = later if lap else [0, *later]
        return options[order[place]]

    def sizes(self, *, far: tuple[int, int] | None = FAR, **ranges: tuple[int, int]) -> tuple[int, ...]:
        """One size per range (both ends included), in the order given.

        The cases go through: all different; all equal where the ranges allow it; each one at its lowest, and at its
        highest, while the others differ; each one far beyond its range, while the others are low. In grading there is
        also one with all at their lowest at once: what a ``squeeze`` drops may be two axes of size 1.

        Args:
            far: what is far beyond; None where a size must stay in its range. A size with one value alone always does.
        """
        names = list(ranges)
        modes = ["different", "equal"] if len(names) > 1 else ["different"]
        ends = [f"{end} {name}" for name in names for end in ("low", "high")]
        mode = self.each(*modes, *ends, *(["lowest"] if len(names) > 1 and not self.small else []))
        bounds = {name: self._bounds(*ranges[name]) for name in names}
        free = [name for name in names if far and ranges[name][0] < ranges[name][1]]
        first, self.open = self.open, self.open + len(free)
        if self.edge:
            bounds = {name: (low, min(ranges[name][1], low + SPAN)) for name, (low, _) in bounds.items()}
            if far and first <= self.edge[0] < self.open:
                name = free[self.edge[0] - first]
                bounds[name] = self._far(far, ranges[name][1]) if self.edge[1] else (ranges[name][0],) * 2
            return self._different(list(bounds.values()))
        if mode == "equal":
            low, high = max(b[0] for b in bounds.values()), min(b[1] for b in bounds.values())
            if low <= high:
                return (self.whole(low, high),) * len(names)
        if mode == "lowest":
            return tuple(bounds[name][0] for name in names)
        if mode not in ("different", "equal"):
            end, name = mode.split(" ", 1)
            bounds[name] = (bounds[name][end == "high"],) * 2
        return self._different(list(bounds.values()))

    def _bounds(self, low: int, high: int) -> tuple[int, int]:
        return (low, min(high, low + SPAN)) if self.small else (low, high)

    def _far(self, far: tuple[int, int], high: int) -> tuple[int, int]:
        low, top = FAR_SHOWN if self.small and far is FAR else far
        return max(low, high + 1), max(top, 2 * high)

    def _different(self, bounds: list[tuple[int, int]]) -> tuple[int, ...]:
        found = tuple(self.whole(*pair) for pair in bounds)
        for _ in range(30):
            if len(set(found)) == len(found):
                break
            found = tuple(self.whole(*pair) for pair in bounds)
        return found

    def whole(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return self.rng.randint(low, high)

    def uniform(self, low: float, high: float) -> float:
        """A number; in a case for people with two decimals and near the low end, where the range allows it."""
        value = self.rng.uniform(low, min(high, low + SPAN) if self.small and low >= 0 else high)
        return round(value, 2) if self.small and low < round(value, 2) < high else value

    def log_uniform(self, low: float, high: float) -> float:
        """A number whose logarithm is uniform, 0 < low."""
        return math.exp(self.rng.uniform(math.log(low), math.log(high)))

    def normal(self, *shape: int, scale: float = 1.0, dtype: torch.dtype = torch.float64) -> Tensor:
        """Normal numbers with mean 0; in a case for people with two decimals."""
        value = scale * torch.randn(*shape, generator=self.torch, dtype=torch.float64)
        if self.balanced and value.numel() > 1:
            value = self._balanced(value)
        return (value.round(decimals=2) if self.small else value).to(dtype)

    def _balanced(self, value: Tensor) -> Tensor:
        """Numbers in pairs x and -x (an odd one is 0), in any order: of half of those given, rounded to ``GRAIN``."""
        half = (value.reshape(-1)[: value.numel() // 2] * GRAIN).round() / GRAIN
        pairs = torch.cat([half, -half, half.new_zeros(value.numel() % 2)])
        return pairs[torch.randperm(len(pairs), generator=self.torch)].view(value.shape)

    def ids(self, *shape: int, low: int, high: int) -> Tensor:
        """Whole numbers (int64), both ends included."""
        return torch.randint(low, high + 1, shape, generator=self.torch)

    def sample(self, n: int, k: int) -> list[int]:
        """k different indices below n, in random order."""
        return self.rng.sample(range(n), k)

    def seeded(self, flavour: Literal["torch", "python", "numpy"] = "torch") -> Seeded:
        """A generator to be passed as an argument."""
        return Seeded(self.rng.getrandbits(40), flavour)

    def weights(self, module: torch.nn.Module) -> dict[str, Tensor]:
        """Fresh weights by name for all parameters of a module (the oracle's); no gain is 1, no bias 0."""
        drawn = random_weights(module, self.torch)
        return {name: value.round(decimals=2) if self.small else value for name, value in drawn.items()}

    def mask(self, *shape: int, blocked: float = 0.4) -> Tensor:
        """A boolean mask that broadcasts to ``shape``: each axis whole or of size 1, leading axes there or left out.

        True stands for an open place; each row along the last axis has at least one. The cases go through all forms.
        """
        forms = [form for whole in range(2 ** len(shape)) for form in _forms(shape, whole)]
        form = self.each(*dict.fromkeys([tuple(shape), *forms]))
        mask = torch.rand(*form, generator=self.torch) >= blocked
        keep = torch.randint(0, form[-1] if form else 1, (*form[:-1], 1), generator=self.torch)
        return (
            mask.scatter(-1, keep, torch.ones(keep.shape, dtype=torch.bool))
            if form
            else keep.new_ones((), dtype=torch.bool)
        )


def _forms(shape: tuple[int, ...], whole: int) -> list[tuple[int, ...]]:
    """The shape with the axes of the bit set ``whole`` kept and all others 1; without leading ones too."""
    form = tuple(size if whole >> axis & 1 else 1 for axis, size in enumerate(shape))
    cut = next((axis for axis, size in enumerate(form) if size != 1), len(form) - 1)
    return [form[start:] for start in range(min(cut, len(form) - 1) + 1)]


def amount(value: Any) -> int:
    """How many numbers, letters and other single things there are in a case or a value."""
    if isinstance(value, Case):
        return sum(map(amount, [*value.args, *value.kwargs.values(), *value.setup.values()]))
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, list | tuple):
        return sum(map(amount, value))
    if isinstance(value, dict):
        return sum(map(amount, value.values()))
    if isinstance(value, Made):
        return amount(value.args)
    return len(value) if isinstance(value, str) else 1


def given(case: Case) -> int:
    """How many single things a call is given."""
    return amount(replace(case, setup={key: value for key, value in case.setup.items() if key not in JUDGES}))


def with_tensors(value: Any) -> bool:
    """Whether there is a tensor in an argument, or in what it is made of."""
    if isinstance(value, dict):
        return any(map(with_tensors, value.values()))
    if isinstance(value, list | tuple):
        return any(map(with_tensors, value))
    return isinstance(value, Tensor) or (isinstance(value, Made) and with_tensors(value.args))


def as_case(value: Any) -> Case:
    """What a way to draw returned, as a case: a tuple or list holds the arguments, anything else is the only one."""
    return value if isinstance(value, Case) else Case(tuple(value) if isinstance(value, tuple | list) else (value,))


def reseeded(case: Case) -> Case:
    """The case with other seeds, so that the oracle's sample is independent of the student's."""
    args = (replace(v, seed=derived(v.seed, "oracle")) if isinstance(v, Seeded) else v for v in case.args)
    return replace(case, args=tuple(args))


def derived(seed: int, text: str) -> int:
    """A seed of its own for each text."""
    return int.from_bytes(blake2b(f"{seed}:{text}".encode(), digest_size=6).digest(), "big")
