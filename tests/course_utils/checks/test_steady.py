"""Cases whose answer hangs on the last digits of what is given are drawn again where a promise says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from course_utils.checks.agree import Agree, close, same
from course_utils.checks.asking import Ask, Reference
from course_utils.checks.draws import Case, Draw, Made
from course_utils.checks.promises import AGAIN, Promises, promise, promises
from course_utils.checks.selfcheck import Student
from course_utils.checks.steady import nudged, unsteady

SEEDS = range(30)
RARE = 0.2  # share of the cases in which rounding decides


def wave(q, k, scale):
    """The sine of products, in 32 bits: the larger they are, the more of it is rounding."""
    return torch.sin(scale * (k @ q))


def other_order(q, k, scale):
    """The same, with the products added from the last to the first."""
    return torch.sin((scale * k.flip(1) * q.flip(0)).sum(1))


def declared(*, steady: bool, reference: Callable[..., Any] = wave) -> Promises:
    """One promise, of which some cases hang on the last digits."""

    def cases(d: Draw) -> tuple[Any, ...]:
        n, width = d.sizes(n=(3, 9), width=(16, 40))
        q, k = (d.normal(*shape, dtype=torch.float32) for shape in ((width,), (n, width)))
        return q, k, 3000.0 if d.rng.random() < RARE and not d.small else 1.0

    one = promise("any scores", "q", cases, fresh=12, far=False, steady=steady)
    return promises(reference={"wave": reference}, agree=close(1e-8, 1e-8), always=(), kept=[one])


def equal(one: Case, two: Case) -> bool:
    return all(map(torch.equal, one.args[:2], two.args[:2])) and one.args[2] == two.args[2]


def refused(check: Promises, answer: Callable[..., Any]) -> int:
    student = Student(lambda: {"wave": answer})
    return sum(not trial.run(student).kept for seed in SEEDS for trial in check.trials(0, seed))


def test_a_right_answer_that_rounds_elsewhere_is_refused_unless_such_cases_are_drawn_again():
    assert refused(declared(steady=False), other_order) > 0
    assert refused(declared(steady=True), other_order) == 0
    assert refused(declared(steady=True), lambda q, k, scale: wave(-q, k, scale)) > len(SEEDS)


def test_number_and_order_of_cases_stay_and_only_what_hangs_is_another_one():
    usual, steady = (declared(steady=one) for one in (False, True))
    changed = 0
    for seed in SEEDS:
        pairs = list(zip(usual.trials(0, seed), steady.trials(0, seed), strict=True))
        for one, two in pairs:
            same_case = equal(one.case, two.case)
            hangs = unsteady(usual.reference, one.case, one.ask, one.agree)
            assert same_case is not hangs
            assert not unsteady(usual.reference, two.case, two.ask, two.agree)
            changed += hangs
        shown = [[trial.case for trial in check.trials(0, seed, small=True)] for check in (usual, steady)]
        assert all(map(equal, *shown))
    assert RARE / 2 < changed / (12 * len(SEEDS)) < 2 * RARE


def test_where_all_cases_hang_the_first_is_taken():
    asked: list[int] = []

    def jumps(q, k, scale):
        asked.append(1)
        return torch.sin(1e9 * (k @ q))

    usual, steady = (declared(steady=one, reference=jumps) for one in (False, True))
    first, again = (check.trials(0, 3) for check in (usual, steady))
    assert all(equal(one.case, two.case) for one, two in zip(first, again, strict=True))
    assert len(asked) == 12 + 12 * (1 + 4 * (AGAIN + 1))


def test_a_case_drawn_again_has_the_same_choices_and_other_numbers():
    for number in range(6):
        one, two, same_as_one = (Draw(5, number, again=again) for again in (0, 1, 0))
        assert [d.each(*"abcd") for d in (one, two, same_as_one)] == [Draw(5, number).each(*"abcd")] * 3
        a, b, c = (d.normal(3) for d in (one, two, same_as_one))
        assert torch.equal(a, c) and not torch.equal(a, b)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_one_unit_in_the_last_place_and_ties_stay_ties(dtype):
    x = torch.tensor([0.3, -0.3, 0.3, 2.0, 0.0, -1.0, 5e-3, 1.7, torch.inf], dtype=dtype)
    moved = nudged(Case((x,))).args[0]
    assert moved.dtype == dtype
    assert moved[0] == -moved[1] == moved[2] != x[0]
    assert torch.equal(moved[3:6], x[3:6]) and moved[8] == torch.inf
    fractions = torch.tensor([0, 1, 2, 6, 7])
    off = ((moved - x)[fractions] / x[fractions]).abs().double()
    assert (off > 0).all() and (off <= 2.01 * torch.finfo(dtype).eps).all()


def test_fractions_are_changed_wherever_they_stand_and_nothing_else_is():
    t = torch.tensor([0.5, 1.5])
    case = Case(
        (3, "a", 0.25, [t, (2.0,)], Made("tool", (t, 7))),
        {"rate": 0.1},
        {"weights": {"w": t}, "bounds": 0.5, "sizes": (4, 5)},
    )
    other = nudged(case)
    assert other.args[:2] == (3, "a") and other.args[2] != 0.25 and other.args[3][1] == (2.0,)
    changed = (other.args[3][0], other.args[4].args[0], other.setup["weights"]["w"])
    assert all((one != t).all() for one in changed)
    assert other.kwargs["rate"] != 0.1 and (other.setup["bounds"], other.setup["sizes"]) == (0.5, (4, 5))
    assert nudged(Case((3, "a", torch.arange(3), 2.0, torch.tensor([1.0, torch.nan])))) is None


def test_a_gradient_is_asked_for_as_before():
    x = torch.randn(3, requires_grad=True)
    assert nudged(Case((x,))).args[0].requires_grad and nudged(Case((x,))).args[0].is_leaf


ASK = Ask("call", ("f",))
NEAR = torch.rand(20, generator=torch.Generator().manual_seed(1)).double()
NEAR = torch.stack([NEAR, torch.nextafter(NEAR, NEAR + 1)], 1)  # pairs of neighbouring numbers


@pytest.mark.parametrize(
    ("function", "x", "agree", "hangs"),
    [
        (lambda x: x.argmax(1), NEAR, same(), True),  # a choice that rounding decides
        (lambda x: x.argmax(1), torch.full((20, 2), 0.7).double(), same(), False),  # a tie that is meant
        (lambda x: x.flip(0), NEAR, same(), False),  # what is copied moves as much as what is given
        (lambda x: x * 3, torch.rand(5).bfloat16(), close(), False),
        (lambda x: torch.sin(1e9 * x), torch.rand(5).double(), close(1e-8, 1e-8), True),
        (lambda x: torch.sin(1e9 * x), torch.rand(5).double(), Agree(law=1e-6, view="x.y"), False),
        (lambda x: x + torch.rand(5).double(), torch.rand(5).double(), close(1e-8, 1e-8), False),  # comes by chance
        (lambda x: x.undefined, NEAR, same(), False),  # the declaration itself says that the reference fails
    ],
)  # fmt: skip
def test_what_hangs_on_the_last_digits(function, x, agree, hangs):
    assert unsteady(Reference({"f": function}), Case((x,)), ASK, agree) is hangs


def test_part_of_the_allowed_difference_may_be_asked_for():
    agree, want = close(0.1, 0.0), torch.tensor([1.0, 2.0]).double()
    assert agree.problem(Case(), want + 0.05, want) is None
    assert agree.problem(Case(), want + 0.05, want, share=0.1) == ""
    assert replace(agree).problem(Case(), want + 0.005, want, share=0.1) is None
