"""What a wrong number says about its cause: sums that overflowed, and digits that were lost."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

WORD = 2**32  # a 32-bit whole number is right up to a multiple of this
DIGITS = 2e-6  # relative error that a few steps in 32 bits may bring
OVERFLOW = "a 32-bit whole number has overflowed: count with Python's own whole numbers, or with int64"
ROUNDED = "it is right to about six digits: does a step compute in 32 bits, divide with /, or add a small constant?"


def cause(got: Any, want: Any) -> str:
    """A sentence for numbers, or tensors of one shape, that differ in a way that names its cause; else ""."""
    one, two = _exact(got), _exact(want)
    if one is None or two is None or len(one) != len(two) or not one:
        return ""
    gaps = [a - b for a, b in zip(one, two, strict=True)]
    if not any(gaps):
        return ""
    if all(type(value) is int for value in one + two):
        wrapped = all(gap % WORD == 0 for gap in gaps)
        negative = any(a < 0 < b and b >= WORD // 2 for a, b in zip(one, two, strict=True))
        if wrapped or negative:
            return OVERFLOW
        if max(map(abs, two)) <= 2**24:  # a 32-bit float holds it exactly
            return ""
    return ROUNDED if max(map(abs, gaps)) <= DIGITS * max(map(abs, two)) else ""


def _exact(value: Any) -> list[Any] | None:
    """The numbers of a value as Python's own, if there are some and all are finite; else None."""
    if type(value) in (int, float):
        value = [value]
    elif isinstance(value, Tensor) and value.dtype != torch.bool and not value.is_complex():
        value = value.detach().reshape(-1).tolist()
    else:
        return None
    return value if all(type(one) is int or abs(one) < float("inf") for one in value) else None
