"""What checks of notebook 03 fetch, ask for and look at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case
from course_utils.checks.fetch import fetches


@fetches("a gradient through the student's function, which the judge compares with its own")
def half_squares_gradient(
    attention: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor], q: Tensor, k: Tensor, v: Tensor, table: Tensor
) -> Tensor:
    """Gradient of half the sum of squared outputs with respect to the table, shape (H, 2T-1)."""
    table = table.clone().requires_grad_()
    loss = attention(q, k, v, table).square().sum() / 2
    return torch.autograd.grad(loss, table)[0]


def moved(case: Case, matrix: Any) -> Tensor:
    """What a matrix (d, d) makes of the positions (n, d) that the case holds: any matrix that moves them is right."""
    places = case.setup["places"]
    if not isinstance(matrix, Tensor) or matrix.shape != (places.shape[1],) * 2 or not matrix.is_floating_point():
        raise CheckFailed("the matrix needs the shape (d, d) and floating-point numbers")
    return places @ matrix.to(places.dtype).T
