"""Views of answers of which more than one is right: among those allowed or not, and nothing else passes."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from course_utils.checks.agree import Agree, close
from course_utils.checks.allowed import between, nearest
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case

BOUNDED = Case(setup={"bounds": [(3, 3), (1.5, 2.5)]})


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ((3, 2.0), ["within its bounds", "within its bounds"]),
        ([3, 2.5], ["within its bounds", "within its bounds"]),
        ((4, 1.4), ["too large", "too small"]),
        ((3, math.inf), ["within its bounds", "too large"]),
    ],
)
def test_numbers_are_held_to_their_bounds(value: Any, told: list[str]) -> None:
    assert between(BOUNDED, value) == told


@pytest.mark.parametrize("value", [(3,), (3, 2.0, 1.0), (3, math.nan), (3, True), (3, "2"), (3, None), 3])
def test_what_is_no_pair_of_numbers_is_refused(value: Any) -> None:
    with pytest.raises(CheckFailed):
        between(BOUNDED, value)
    assert Agree(view="course_utils.checks.allowed.between").problem(BOUNDED, value, (3, 2.0)) is not None


def test_an_answer_is_held_to_the_nearest_of_those_allowed() -> None:
    one, two = [torch.zeros(2), torch.ones(3)], [torch.ones(2), torch.zeros(3)]
    case = Case(setup={"allowed": [one, two]})
    assert nearest(case, tuple(one)) == nearest(case, two) == 0.0
    assert nearest(case, [torch.zeros(2), torch.zeros(3)]) == 1.0  # each part is allowed, but not with the other
    agree = close(1e-6, view="course_utils.checks.allowed.nearest")
    assert agree.problem(case, two, one) is None and agree.problem(case, [one[0], two[1]], one) == ""
    for wrong in (one[:1], [one[0], torch.zeros(4)], [one[0], "x"], [one[0], torch.full((3,), math.nan)], None):
        assert agree.problem(case, wrong, one)
