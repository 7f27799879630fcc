"""Cases that agree with one in much: what a function keeps under a part of its arguments, it would give for them, too."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from torch import Tensor

from course_utils.checks.compare import field_names, is_record
from course_utils.checks.draws import Case

MOST = 16  # calls
LARGE = 500  # a whole number up to which three times as many still take no time and memory


def neighbours(case: Case) -> Iterator[Case]:
    """The case with one argument changed, tensors in reverse order; then with all tensors in reverse order."""
    values = (*case.args, *case.kwargs.values())
    found = 0
    for place, value in enumerate(values):
        for other in _others(value):
            if found < MOST:
                found += 1
                yield _with(case, (*values[:place], other, *values[place + 1 :]))
    if sum(isinstance(value, Tensor) for value in values) > 1:
        yield _with(case, tuple(_turned(value) for value in values))


def _with(case: Case, values: tuple[Any, ...]) -> Case:
    """The case with these values for its arguments, those with a name last."""
    count = len(case.args)
    return replace(case, args=values[:count], kwargs=dict(zip(case.kwargs, values[count:], strict=True)))


def _turned(value: Any) -> Any:
    """A tensor with its numbers from the last to the first: form, sum and all that hangs on no order stay."""
    if isinstance(value, Tensor):
        return value.detach().flip(tuple(range(value.dim())))
    return [_turned(one) for one in value] if type(value) is list else value


def _others(value: Any) -> Iterator[Any]:
    """Values that are not this one: another number, a record with one in a field, a list or a tensor backwards."""
    if isinstance(value, Tensor):
        yield _turned(value)
    elif type(value) is float and 0 < value < 1:
        yield from (value / 2, value / 3)  # what is a share stays one: beyond 1 a search may never end
    elif type(value) in (int, float):
        yield value + 1
        if abs(value) <= LARGE or type(value) is float:  # where a check allows some room, the next makes no difference
            yield 3 * value
    elif type(value) is list and len(value) > 1:
        yield value[::-1]
    elif is_record(value) and not isinstance(value, tuple):
        for name in field_names(value):
            for other in _others(getattr(value, name)):
                twin = copy.copy(value)
                object.__setattr__(twin, name, other)
                yield twin
