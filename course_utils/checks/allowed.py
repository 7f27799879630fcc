"""Views for promises that more than one answer keeps (see ``agree.Agree.view``).

What is allowed stands in the case's ``setup``: numbers that were computed where the oracle is. Nothing here knows an
answer; it says of a value whether it is among those allowed.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case


def between(case: Case, value: Any) -> list[str]:
    """Of each number of the answer whether it lies within its ``(least, most)`` in ``setup["bounds"]``, ends included."""
    bounds = case.setup["bounds"]
    values = value if type(value) in (tuple, list) else [value]
    if len(values) != len(bounds):
        raise CheckFailed(f"{len(values)} numbers came, where {len(bounds)} are asked for")
    return [_place(number, *pair) for number, pair in zip(values, bounds, strict=True)]


def _place(value: Any, least: float, most: float) -> str:
    if type(value) not in (int, float) or math.isnan(value):
        raise CheckFailed("the result is no number")
    return "too small" if value < least else "too large" if value > most else "within its bounds"


def nearest(case: Case, value: Any) -> float:
    """How far the answer is from the nearest of ``setup["allowed"]``: the largest difference of an entry.

    An answer may have several parts; they must all be near the same one of those allowed.
    """
    flat = _flat(value)
    return min(_distance(flat, _flat(one)) for one in case.setup["allowed"])


def _flat(value: Any) -> list[Tensor]:
    parts = value if type(value) in (tuple, list) else [value]
    if not all(isinstance(part, Tensor) or type(part) in (int, float) for part in parts):
        raise CheckFailed("the result is no tensor of numbers")
    return [torch.as_tensor(part, dtype=torch.float64).detach() for part in parts]


def _distance(got: list[Tensor], want: list[Tensor]) -> float:
    if [part.shape for part in got] != [part.shape for part in want]:
        shapes = " and ".join(str(tuple(part.shape)) for part in want)
        raise CheckFailed(f"the result has the shape {tuple(got[0].shape)} instead of {shapes}")
    gaps = torch.cat([(a - b).abs().reshape(-1) for a, b in zip(got, want, strict=True)])
    if not bool(gaps.isfinite().all()):
        raise CheckFailed("the result contains NaN or infinity")
    return float(gaps.max()) if gaps.numel() else 0.0
