"""Laws of random procedures: what is right passes, and dependence, scale, tails and repeated draws are found."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from course_utils.checks import laws
from course_utils.checks.compare import CheckFailed
from course_utils.checks.promises import ALARM, TIMES

N = 4000


def draws(seed: int, n: int = N) -> Tensor:
    """Two normal numbers and a rare event of probability 0.02: rows (n, 3), independent."""
    rng = torch.Generator().manual_seed(seed)
    rows = torch.randn(n, 3, generator=rng, dtype=torch.float64)
    rows[:, 2] = (torch.rand(n, generator=rng, dtype=torch.float64) < 0.02).double()
    return rows


WANT = laws.table(draws(1, TIMES * N))


def refused(rows: Tensor) -> Any:
    found = laws.violated(rows, WANT, ALARM)
    return None if found is None else laws.columns_of(3)[found[0]]


@pytest.mark.slow
def test_what_is_right_passes_with_every_seed() -> None:
    assert not [seed for seed in range(10, 310) if refused(draws(seed)) is not None]


def changed(change: Any) -> Tensor:
    rows = draws(5)
    change(rows)
    return rows


def scale(rows: Tensor) -> None:
    rows[:, 0] *= 1.3


def cut(rows: Tensor) -> None:
    rows[:, 1].clamp_(min=-1.5)
    rows[:, 1][rows[:, 1] == -1.5] = 0.0


def tie(rows: Tensor) -> None:
    rows[:, 0] = 0.5 * rows[:, 1] + 0.75**0.5 * rows[:, 0]


def repeat(rows: Tensor) -> None:
    rows[1::2] = rows[::2]


def mirror(rows: Tensor) -> None:
    rows[N // 2 :, 0] = -rows[: N // 2, 0]


def clamp(rows: Tensor) -> None:
    rows[:, 1].clamp_(-2.0, 2.0)


def often(rows: Tensor) -> None:
    rows[:, 2] = (torch.rand(len(rows), generator=torch.Generator().manual_seed(5)) < 0.05).double()


def never(rows: Tensor) -> None:
    rows[:, 2] = 0.0


@pytest.mark.parametrize(
    ("change", "columns"),
    [
        (scale, {(0,)}),
        (cut, {(1,)}),
        (tie, {(1, 0)}),
        (repeat, {(0, -1), (1, -1)}),
        (mirror, {(0, -2)}),
        (clamp, {(1,)}),
        (often, {(2,)}),
        (never, {(2,), (2, -1)}),
    ],
)
def test_each_deviation_is_found_where_it_is(change: Any, columns: set[tuple[int, ...]]) -> None:
    assert refused(changed(change)) in columns


def test_a_rare_event_that_depends_on_another_number_is_found() -> None:
    rows = draws(6)
    order = rows[:, 0].argsort(descending=True)
    rows[:, 2] = 0.0
    rows[order[: N // 50], 2] = 1.0  # as often as it must be, but always where the first number is large
    assert refused(rows) == (2, 0)


@pytest.mark.parametrize(
    "rows", [torch.zeros(5), torch.zeros(1, 3), torch.full((5, 3), torch.nan), None, torch.zeros(5, 13)]
)
def test_what_is_no_table_of_rows_is_refused(rows: Any) -> None:
    with pytest.raises(CheckFailed):
        laws.violated(rows, WANT, ALARM)


def test_another_number_of_features_is_refused() -> None:
    with pytest.raises(CheckFailed):
        laws.violated(torch.randn(50, 2), WANT, ALARM)


@pytest.mark.parametrize(("n", "share"), [(50, 0.0), (50, 1.0), (1000, 0.02), (1000, 0.5)])
def test_the_credible_shares_are_those_of_chernoffs_bound(n: int, share: float) -> None:
    one, size = torch.tensor([share], dtype=torch.float64), torch.tensor([n])
    for upwards in (False, True):
        edge = laws.reach(one, size, 9.0, upwards=upwards)
        assert float(n * laws.divergence(one, edge)) <= 9.0 + 1e-9
        beyond = edge + (1e-3 if upwards else -1e-3)
        assert not 0 < float(beyond) < 1 or float(n * laws.divergence(one, beyond)) > 9.0


def test_more_draws_find_smaller_deviations() -> None:
    few, many = (laws.least_deviation(n, TIMES * n, 3, ALARM) for n in (1000, 100_000))
    assert many < few / 9 and few < 0.7
