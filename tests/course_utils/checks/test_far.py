"""What small cases do not show: large sizes, sums of 0, results that change later, number types, gradients inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from course_utils.checks.agree import Agree
from course_utils.checks.asking import NO_SLOPES, call
from course_utils.checks.casefile import Entry, from_json, to_json
from course_utils.checks.draws import FAR, Case, Draw, amount
from course_utils.checks.promised import answers_of
from course_utils.checks.promises import Promises, gradients, law, promise, promises, repeatable, typed
from course_utils.checks.selfcheck import Student
from course_utils.checks.verdict import listed, report
from course_utils.errors import CourseError


def total(x: Tensor) -> Tensor:
    return x.sum(0)


def rows(d: Draw) -> tuple[Tensor]:
    n, m = d.sizes(n=(1, 9), m=(1, 5))
    return (d.normal(n, m),)


DECLARED = promises(
    reference={"total": total},
    always=(repeatable, typed, gradients(0)),
    kept=[promise("the sum of all rows", "the sum", rows)],
)


def entry(declared: Promises) -> Entry:
    kept = tuple(declared.listed())
    trials = tuple(trial for number in range(len(kept)) for trial in declared.trials(number, 0, small=True))
    return from_json(to_json(Entry("x", kept, trials, (), {}, alarm=declared.alarm)))


def lost(function: Callable[..., Any], *, visible: bool = False) -> set[str]:
    """What promises are broken, by fresh trials or by the visible ones."""
    student, sentences = Student(lambda: {"total": function}), [one.sentence for one in DECLARED.listed()]
    if visible:
        answers = answers_of(entry(DECLARED), student)
    else:
        answers = [trial.run(student) for n in range(len(sentences)) for trial in DECLARED.trials(n, 3)]
    return {sentences[answer.trial.promise] for answer in answers if not answer.kept}


def test_each_size_that_is_not_fixed_is_far_beyond_once_and_the_others_low():
    for edge in range(2):
        d = Draw(1, edge=(edge, True))
        sizes = d.sizes(a=(2, 9), fixed=(3, 3), b=(2, 9))
        assert d.open == 2 and sizes[1] == 3
        assert FAR[0] <= sizes[2 * edge] <= FAR[1] and sizes[2 - 2 * edge] <= 5
    assert Draw(1, edge=(0, True)).sizes(a=(1, 400))[0] > 400
    assert Draw(1, edge=(0, True)).sizes(far=None, a=(2, 9))[0] <= 5
    assert Draw(1, edge=(0, False)).sizes(a=(2, 9)) == (2,)


def test_a_balanced_tensor_adds_up_to_0_in_any_order():
    value = Draw(5, balanced=True).normal(7, 3)
    assert float(value.sum()) == float(value.T.flip(0).sum()) == 0 and float(value.abs().sum()) > 0


def test_a_twin_has_the_same_sizes_and_other_numbers():
    (one,), (two,) = rows(Draw(4)), rows(Draw(4, twin=True))
    assert one.shape == two.shape and not torch.equal(one, two)


BUFFER: dict[Any, Tensor] = {}


def buffered(x: Tensor) -> Tensor:
    found = BUFFER.setdefault((x.shape, x.dtype), torch.empty(x.shape[1], dtype=x.dtype))
    return found.copy_(x.sum(0)) if not x.requires_grad else x.sum(0)


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        (lambda x: x[:32].sum(0), "the sum of all rows"),
        (lambda x: x.sum(0) if x.sum() != 0 else x.sum(0) + 1, "the sum of all rows"),
        (buffered, repeatable.rule),
        (lambda x: x.double().sum(0), typed.rule),
        (lambda x: (x if x.dtype == torch.float64 else x.detach()).sum(0), "Gradients flow through the result"),
        (lambda x: (x if x.is_leaf else x.detach()).sum(0), "Gradients flow through the result"),
    ],
)
def test_what_only_unusual_cases_show_is_seen(wrong: Callable[..., Any], rule: str):
    assert lost(total) == set() == lost(total, visible=True)
    assert any(sentence.startswith(rule) for sentence in lost(wrong))


def test_the_notebook_sees_large_sizes_too():
    assert lost(lambda x: x[:32].sum(0), visible=True) == {"the sum of all rows"}


def test_a_missing_gradient_is_named():
    student = Student(lambda: {"total": lambda x: x.detach().sum(0)})
    answers = [trial.run(student) for trial in DECLARED.trials(3, 3)]
    assert {answer.problem for answer in answers} == {NO_SLOPES}


def drawn(n: int, rng: torch.Generator) -> Tensor:
    return torch.randn(n, 1, generator=rng)


def chance(fresh: int) -> Promises:
    one = law(
        "normal", "normal", lambda d: (400, d.seeded()), ask=call("drawn"), features=("x",), finds=0.9, fresh=fresh,
        view="course_utils.lessons.attention.key_features",
    )  # fmt: skip
    return promises(reference={"drawn": drawn}, kept=[one])


def test_a_check_says_how_rarely_it_refuses_what_is_right_and_never_more_often_than_its_bound():
    assert chance(2).alarm == pytest.approx(3e-6)
    with pytest.raises(CourseError, match="fewer trials"):
        chance(20)
    made = Entry("x", tuple(chance(2).listed()), (), (), alarm=chance(2).alarm)
    assert "probability below 3e-06" in listed("drawn", from_json(to_json(made)))[-1]
    assert "probability" not in listed("total", entry(DECLARED))[-1]


def test_what_the_judge_compares_with_is_no_input():
    one = promise("between", "between", [Case((2.0,), setup={"bounds": [(0.0, 1.0)]})])
    made = promises(
        reference={"f": lambda x: 0.5}, agree=Agree(view="course_utils.checks.allowed.between"), kept=[one], always=()
    )
    shown = "\n".join(report("f", entry(made), answers_of(entry(made), Student(lambda: {"f": lambda x: x}))))
    assert "yours     2" in shown and "bounds =" not in shown


def test_a_case_counts_all_its_numbers():
    assert amount(Case((torch.ones(2, 3), [1, (2, 3)]), {"k": "ab"}, {"w": {"a": torch.ones(4)}})) == 6 + 3 + 2 + 4
