"""How an answer is compared with the oracle's: plain data, so that the notebook compares as the judge does."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_utils.checks import laws
from course_utils.checks.asking import is_handle
from course_utils.checks.compare import CheckFailed, difference, plain
from course_utils.checks.draws import Case
from course_utils.checks.samples import different
from course_utils.errors import CourseError

COARSE = {torch.float32: 1e-4, torch.float16: 5e-3, torch.bfloat16: 3e-2}  # what sums in these types can keep
SINGLE = 1e-6  # what is left of a number computed in 32 bits from numbers, relative


@dataclass(frozen=True)
class Agree:
    """One way to compare.

    Attributes:
        atol, rtol: ``|got - want| <= atol + rtol·|want|``; both 0 for equality. Arguments of coarser types loosen them.
        view: full name of a function ``view(case, value)`` that says what is compared in place of the value; "" for none.
        types: whether the number types of tensors must be equal too.
        law: false-alarm bound of a comparison of samples (``laws``); 0 compares values.
        counts: false-alarm bound of a comparison of counts (``counts``); 0 for none.
    """

    atol: float = 0.0
    rtol: float = 0.0
    view: str = ""
    types: bool = False
    law: float = 0.0
    counts: float = 0.0

    def problem(self, case: Case, got: Any, want: Any, names: Iterable[str] = (), *, share: float = 1.0) -> str | None:
        """How ``got`` differs: None if it does not, "" if in value alone, else a sentence that holds no expected value.

        Args:
            share: of the allowed difference that may be used up.
        """
        if self.counts:
            return different(got, want, self.counts)
        if is_handle(got):
            return "the result is an object of another kind than the text asks for"
        try:
            if self.law:
                return self._law(case, got, want, list(names))
            bounds = self._bounds(case, got, want) if self.atol or self.rtol else None
            bounds = (share * bounds[0], share * bounds[1]) if bounds else None
            return self._entries(self.seen(case, got), self.seen(case, want), bounds, list(names))
        except CheckFailed as error:
            return str(error)

    def _bounds(self, case: Case, got: Any, want: Any) -> tuple[float, float]:
        """``(atol, rtol)``, as loose as the types ask for that the case and the oracle's result have.

        Given numbers alone, the answer chose its type: 32-bit at least, since a coarser one would loosen the bounds. Where the
        result is a number too, nothing was summed in that type that a relative bound does not cover.
        """
        kinds = [*types_of(case)]
        expected = [one.dtype for one in _tensors(want)]
        chosen = not kinds and any(one.dtype in COARSE for one in _tensors(got))
        if chosen and not expected:
            return self.atol, max(self.rtol, SINGLE)
        kinds += [*expected, *([torch.float32] if chosen else [])]
        coarse = max([COARSE.get(kind, 0.0) for kind in kinds], default=0.0)
        return max(self.atol, coarse), max(self.rtol, coarse)

    def seen(self, case: Case, value: Any) -> Any:
        """What is compared of a value: plain, numbers as numbers, through the view."""
        value = _settled(plain(value))
        return _settled(plain(self._viewed(case, value))) if self.view else value

    def rows(self, case: Case, values: Any) -> Tensor:
        """The rows (n, F) of features of several results, for a law. Raises CheckFailed."""
        if type(values) not in (list, tuple):
            raise CheckFailed("the results cannot be read")
        pieces = [self._viewed(case, plain(value)) for value in values]
        if not pieces or any(not isinstance(one, Tensor) or one.shape[1:] != pieces[0].shape[1:] for one in pieces):
            raise CheckFailed("the result does not have the form that the text asks for")
        return laws.checked(torch.cat(pieces))

    def halves(self, case: Case, got: Any, want: Any) -> list[float]:
        """For a law, the mean deviation of the shares at the lower and at the upper points of each column."""
        return laws.halves(self.rows(case, got), want)

    def _law(self, case: Case, got: Any, want: Any, names: list[str]) -> str | None:
        found = laws.violated(self.rows(case, got), want, self.law)
        return f"{laws.named(found[0], len(want['centre']), names)}: {found[1]}" if found else None

    def _viewed(self, case: Case, value: Any) -> Any:
        module, _, name = self.view.rpartition(".")
        try:
            return getattr(importlib.import_module(module), name)(case, value)
        except CheckFailed:
            raise
        except Exception as error:
            raise CheckFailed("the result does not have the form that the text asks for") from error

    def _entries(self, got: Any, want: Any, bounds: tuple[float, float] | None, names: list[str]) -> str | None:
        if self.types and (text := _other_type(got, want)):
            return text
        if type(want) is tuple and len(names) == len(want):
            if type(got) not in (tuple, list) or len(got) != len(want):
                found = f" of {len(got)}" if type(got) in (tuple, list) else ""
                return f"return {len(want)} things, `return {', '.join(names)}`; {_what(got)}{found} came"
            rows = zip(got, want, names, strict=True)
            return next((t for a, b, name in rows if (t := difference(a, b, bounds, name)) is not None), None)
        return difference(got, want, bounds, names[0] if len(names) == 1 else "the result")


def close(atol: float = 1e-8, rtol: float = 1e-8, *, view: str = "", types: bool = False) -> Agree:
    """Equal within ``atol + rtol·|want|``, in shape and kind exactly."""
    if not (atol or rtol):
        raise CourseError("close() needs a tolerance above 0; for equality declare same().")
    return Agree(atol, rtol, view, types)


def same(*, view: str = "", types: bool = False) -> Agree:
    """Equal in value, shape and kind."""
    return Agree(view=view, types=types)


def _what(value: Any) -> str:
    names = {type(None): "nothing (None)", Tensor: "a tensor", tuple: "a tuple", list: "a list", float: "a number"}
    return names.get(type(value), "something else")


def _settled(value: Any) -> Any:
    """Arrays as tensors, tensors without axes as numbers: these differences of kind do not count."""
    if type(value) in (list, tuple):
        return type(value)(map(_settled, value))
    if type(value) is dict:
        return {key: _settled(item) for key, item in value.items()}
    if type(value) is np.ndarray and value.dtype.kind in "bif":
        value = torch.from_numpy(value)
    if type(value) is Tensor and value.dim() == 0:
        return value.item()
    return value.detach() if type(value) is Tensor else value


def types_of(case: Case) -> Iterator[torch.dtype]:
    """Types of the floating-point tensors that a case is given."""
    given = [*case.args, *case.kwargs.values(), *case.setup.values()]
    yield from (value.dtype for value in _tensors(given) if value.is_floating_point())


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors(item)


def _other_type(got: Any, want: Any) -> str:
    pairs = (
        list(zip(got, want, strict=False))
        if type(want) in (list, tuple) and type(got) in (list, tuple)
        else [(got, want)]
    )
    for a, b in pairs:
        if isinstance(a, Tensor) and isinstance(b, Tensor) and a.dtype != b.dtype:
            return f"the result holds {a.dtype}, where {b.dtype} is expected"
    return ""
