"""What is said of wrong numbers that name their own cause."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from course_utils.checks.nearly import OVERFLOW, ROUNDED, cause

BIG = 3 * 10**10 + 7


def wrapped(value: int) -> int:
    """What a 32-bit whole number makes of a larger one."""
    return int(np.array(value).astype(np.int32))


@pytest.mark.parametrize(
    ("got", "want", "said"),
    [
        (wrapped(BIG), BIG, OVERFLOW),
        (-5, 2**31, OVERFLOW),
        (torch.tensor([1, wrapped(BIG)]), torch.tensor([1, BIG]), OVERFLOW),
        (int(np.float32(BIG)), BIG, ROUNDED),
        (float(np.float32(BIG)), BIG, ROUNDED),
        (float(np.float32(0.1)), 0.1, ROUNDED),
        (torch.linspace(0, 1, 7).double() / 3, torch.linspace(0, 1, 7, dtype=torch.float64) / 3, ROUNDED),
        (BIG + 10**6, BIG, ""),
        (7, 8, ""),
        (2**20 + 1, 2**20, ""),  # a 32-bit float holds both: something else is wrong
        (0.1001, 0.1, ""),
        (torch.ones(3), torch.ones(4), ""),
        (torch.ones(2), torch.tensor([1.0, float("nan")]), ""),
        (float("inf"), 1.0, ""),
        (torch.tensor([True]), torch.tensor([False]), ""),
        ("a", "b", ""),
        (None, 3, ""),
        (0.1, 0.1, ""),
    ],
)
def test_the_cause_is_named_where_numbers_show_it(got: Any, want: Any, said: str) -> None:
    assert cause(got, want) == said
