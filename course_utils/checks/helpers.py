"""Small tools that the checks of several notebooks share: naming slips, comparing numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_utils.checks.compare import CheckFailed, describe


def name_slip(c: Any, got: Any, right: Tensor, slips: Mapping[str, Tensor], otherwise: str, atol: float = 1e-4) -> None:
    """Compare with the right result; if a known slip explains a wrong one, fail with the hint that names the slip.

    ``c`` is the running check. A slip that happens to equal the right result on this input is ignored.
    """
    if isinstance(got, Tensor) and got.shape == right.shape and not torch.equal(got, right):
        got = got.to(right.dtype) if got.is_floating_point() == right.is_floating_point() else got
        for hint, wrong in slips.items():
            if wrong.shape == right.shape and not torch.allclose(wrong, right, atol=100 * atol, rtol=1e-2):
                c.that(not torch.allclose(got.to(wrong.dtype), wrong, atol=atol, rtol=1e-4, equal_nan=True), hint)
    c.close(got, right, otherwise, atol=atol, rtol=1e-4)


def same(got: Any, want: Tensor) -> bool:
    """Whether ``got`` is a tensor of the same shape, dtype and values; never raises, whatever ``got`` is."""
    return isinstance(got, Tensor) and got.dtype == want.dtype and torch.equal(got, want)


def parts(got: Any, names: tuple[str, ...]) -> list[Any]:
    """The parts of a result that must be a tuple, tensors as float64. Raises CheckFailed that names what is missing."""
    if type(got) not in (tuple, list) or len(got) != len(names):
        count = f" of length {len(got)}" if type(got) in (tuple, list) else ""
        raise CheckFailed(
            f"return {len(names)} things: `return {', '.join(names)}`; yours returned {describe(got)}{count}"
        )
    return [number(value, name) for value, name in zip(got, names, strict=True)]


def number(value: Any, name: str) -> Any:
    """A tensor, array or number as a float64 tensor without gradient. Raises CheckFailed for anything else."""
    if not isinstance(value, Tensor | np.ndarray | float | int) or isinstance(value, bool):
        raise CheckFailed(f"{name} is {describe(value)}, where a tensor of numbers is expected")
    tensor = torch.as_tensor(value).detach()
    if tensor.is_complex() or tensor.dtype == torch.bool:
        raise CheckFailed(f"{name} holds {tensor.dtype}, where floating-point numbers are expected")
    return tensor.to(torch.float64)


def near(got: Tensor, wrong: Tensor | float, tolerance: float = 1e-6) -> bool:
    """Whether ``got`` has the shape of ``wrong`` and lies within ``tolerance`` of it: is this that well-known slip?"""
    wrong = torch.as_tensor(wrong, dtype=torch.float64)
    return got.shape == wrong.shape and torch.allclose(got, wrong, atol=tolerance, rtol=tolerance)
