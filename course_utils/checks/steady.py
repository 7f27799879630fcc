"""Whether an answer hangs on the last digits of what it is given: then two right ways to compute it may differ by much.

A right answer rounds at other places than the oracle does. How much that may change is seen from the oracle alone: its
arguments are changed by one unit in the last place, and it is asked again. Where the answer moves by a good part of what
the comparison allows, the case is of no use for telling right from wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.agree import COARSE, Agree, close, types_of
from course_utils.checks.asking import Ask
from course_utils.checks.compare import CheckFailed, plain
from course_utils.checks.draws import JUDGES, Case, Made
from course_utils.checks.student import StudentError

SHARE = 0.1  # of the allowed difference that one unit in the last place may use up
SHARE_OF_HALF = 0.5  # the same for 16-bit numbers, where one unit alone is a fifth of the allowed difference
SETTLED = close(1e-6, 1e-6)  # stands for equality: what is copied moves with its arguments, a choice jumps
BITS = {8: torch.int64, 4: torch.int32, 2: torch.int16}
MIX = 0x1E3779B97F4A7C15  # odd; spreads the bits of a number


def unsteady(reference: Any, case: Case, ask: Ask, agree: Agree, names: Sequence[str] = ()) -> bool:
    """Whether the reference's answer moves by much when each number that is not whole changes by one unit in the last place.

    Always False where samples are compared, where the answer comes by chance, where the case holds no such number, and
    where it cannot be asked.
    """
    others = [other for direction in (1, -1) if (other := nudged(case, direction))]
    if agree.law or agree.counts or not others:
        return False
    try:
        want, *moved = (plain(ask(reference, one)) for one in (case, *others))
    except (StudentError, CheckFailed):
        return False
    measured = agree if agree.atol or agree.rtol else replace(SETTLED, view=agree.view)
    half = any(COARSE.get(kind, 0.0) > COARSE[torch.float32] for kind in types_of(case))
    share = SHARE_OF_HALF if half else SHARE
    if all(measured.problem(case, got, want, names, share=share) is None for got in moved):
        return False
    again = plain(ask(reference, case))  # what comes by chance is another one in any case
    return measured.problem(case, again, want, names, share=share) is None


def nudged(case: Case, direction: int = 1) -> Case | None:
    """The case with all fractions changed by one unit in the last place; None if there is none.

    Equal numbers change equally, and so do a number and its negative; whole numbers stay: what is tied stays tied.

    Args:
        direction: -1 changes each number the other way than 1 does.
    """
    setup = {key: value if key in JUDGES else _nudged(value, direction) for key, value in case.setup.items()}
    args, kwargs = _nudged(case.args, direction), _nudged(case.kwargs, direction)
    other = replace(case, args=args, kwargs=kwargs, setup=setup)
    pairs = [(case.args, other.args), (case.kwargs, other.kwargs), (case.setup, setup)]
    return other if any(_differ(one, two) for one, two in pairs) else None


def _nudged(value: Any, direction: int) -> Any:
    if isinstance(value, Tensor) and value.is_floating_point():
        return _tensor(value.detach(), direction).requires_grad_(value.requires_grad)
    if type(value) is float and math.isfinite(value) and value != round(value):
        return math.nextafter(value, direction * math.inf)
    if type(value) in (list, tuple):
        return type(value)(_nudged(item, direction) for item in value)
    if type(value) is dict:
        return {key: _nudged(item, direction) for key, item in value.items()}
    return replace(value, args=_nudged(value.args, direction)) if isinstance(value, Made) else value


def _tensor(value: Tensor, direction: int) -> Tensor:
    """Up or down by the number's own bits, without its sign."""
    bits = value.abs().contiguous().view(BITS[value.element_size()]).to(torch.int64)
    mixed = bits * MIX  # the product wraps around; twice, since neighbouring numbers differ in their last bits alone
    up = (((mixed ^ (mixed >> 32)) * MIX) >> 40) & 1 == 1
    step = torch.where(up, direction, -direction).double() * torch.finfo(value.dtype).eps
    moved = (value.double() * (1 + step)).to(value.dtype)
    return torch.where(value == value.round(), value, moved)


def _differ(one: Any, two: Any) -> bool:
    if isinstance(one, Tensor):
        return not torch.equal(one, two) and not bool(torch.isnan(one).any())
    if isinstance(one, dict):
        return any(_differ(one[key], two[key]) for key in one)
    if isinstance(one, list | tuple):
        return any(map(_differ, one, two))
    return _differ(one.args, two.args) if isinstance(one, Made) else type(one) is float and one != two
