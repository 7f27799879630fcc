"""A gradient that a check of notebook 03 fetches from the student's function."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from course_utils.checks.fetch import fetches


@fetches("a gradient through the student's function, which the judge compares with its own")
def half_squares_gradient(
    attention: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor], q: Tensor, k: Tensor, v: Tensor, table: Tensor
) -> Tensor:
    """Gradient of half the sum of squared outputs with respect to the table, shape (H, 2T-1)."""
    table = table.clone().requires_grad_()
    loss = attention(q, k, v, table).square().sum() / 2
    return torch.autograd.grad(loss, table)[0]
