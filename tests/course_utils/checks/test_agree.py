"""How answers are compared, and how many cases of a promise are: what decides points in every declared check."""

from __future__ import annotations

import pytest
import torch

from course_utils.checks.agree import close, same
from course_utils.checks.draws import Case
from course_utils.checks.promises import FRESH, VISIBLE, promise, promises
from course_utils.checks.selfcheck import Student

DECLARED = promises(
    reference={"twice": lambda n, k: 2 * k},
    agree=close(1e-9),
    always=(),
    kept=[promise("twice the number", "q", lambda d: (*d.sizes(n=(1, 9)), d.uniform(1, 3)))],
)


@pytest.mark.parametrize("agree", [same(), close(0.5)])
@pytest.mark.parametrize(
    ("came", "asked"), [("float32", "int64"), ("int64", "float64"), ("bool", "int64"), ("uint8", "bool")]
)
def test_numbers_of_another_kind_are_named_and_not_compared(agree, came, asked):
    got, want = (torch.tensor([1, 0, 1]).to(getattr(torch, kind)) for kind in (came, asked))
    assert "are expected" in agree.problem(Case(), got, want)
    assert agree.problem(Case(), want.clone(), want) is None


@pytest.mark.parametrize("agree", [same(types=True), close(0.5, types=True)])
def test_types_of_numbers_count_where_it_is_declared(agree):
    want = torch.tensor([1.0, 2.0])
    assert (
        agree.problem(Case(), want.double(), want) == "the result holds torch.float64, where torch.float32 is expected"
    )
    assert agree.problem(Case(), (want, want.half()), (want, want)) is not None
    assert agree.problem(Case(), (want, 1.0), (want.clone(), 1.0)) is None
    assert close(0.5).problem(Case(), want.double(), want) is None


def test_a_promise_has_all_its_cases_and_no_two_are_alike():
    """Each of the fresh ones decides: an answer that is wrong in one alone is found."""
    shown, fresh = (DECLARED.drawn(DECLARED.kept[0], 7, count, small=count == VISIBLE) for count in (VISIBLE, FRESH))
    assert (len(shown), len(fresh)) == (VISIBLE, FRESH)
    assert len({case.args[1] for case in fresh}) == FRESH
    trials = [trial for trial in DECLARED.trials(0, 7) if trial.case.args[1] in {case.args[1] for case in fresh}]
    for case in fresh:
        wrong = Student(lambda bad=case.args[1]: {"twice": lambda n, k: 2 * k + (k == bad)})
        assert [trial.run(wrong).kept for trial in trials].count(False) == 1
    none = promise("none", "q", lambda d: (d.whole(1, 9),), visible=0, fresh=0)
    assert [len(DECLARED.drawn(none, 7, 0, small=small)) for small in (True, False)] == [0, 1]
    listed = promise("listed", "q", [(1,), (2,), (3,)], visible=1, fresh=1)
    assert [len(DECLARED.drawn(listed, 7, 1, small=small)) for small in (True, False)] == [3, 3]
    many = promise("many", "q", lambda d: (d.each(*range(20)),))
    assert {case.args[0] for case in DECLARED.drawn(many, 7, FRESH, small=False)} == set(range(20))
