"""Notebook 06: how the check of sentinel spans reads source and target."""

from __future__ import annotations

import random

import pytest

from course_utils.checks.asking import Reference
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case
from course_utils.lessons.t5_ways import counts, fair, restored, span_rules
from solutions.reference import pretraining as ref


def spans_case(n=24, rate=0.3, mean=1.5):
    return Case((list(range(100, 100 + n)), [9, 4, 7, 1, 8, 2, 5, 3], random.Random(2), rate, mean))


def test_spans_of_the_reference_are_such_as_may_come():
    case = spans_case()
    results = [ref.t5_spans(*case.args) for _ in range(500)]
    assert all(span_rules(case, result) for result in results) and fair(case, results)
    both = Reference({"t5_spans": ref.t5_spans, "t5_restore": ref.t5_restore})
    assert restored(both, case, "t5_restore") == case.args[0]
    assert counts(24, 8, 0.3, 1.5) == (7, 5) and counts(30, 8, 0.15, 3.0) is None  # 4.5 words


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (lambda s, t: (s, t[:-1]), "one sentinel more"),
        (lambda s, t: (s[:-1], t), "does not give the text|different numbers"),
        (lambda s, t: ([x for x in s if x > 90], t), "nothing was taken out"),
        (lambda s, t: (s, [{9: 4, 4: 9}.get(x, x) for x in t]), "begins with the first"),
        (lambda s, t: (tuple(s), t), "two lists"),
        (lambda s, t: (s, [*t, 55]), "neither words"),
    ],
)
def test_spans_that_break_a_rule_are_refused(broken, sentence):
    case = spans_case()
    with pytest.raises(CheckFailed, match=sentence):
        span_rules(case, broken(*ref.t5_spans(*case.args)))


def test_draws_that_never_vary_are_refused():
    case = spans_case()
    with pytest.raises(CheckFailed, match="the same spans"):
        fair(case, [ref.t5_spans(*case.args)] * 300)
    with pytest.raises(CheckFailed, match="number of removed words"):
        span_rules(case, ref.t5_spans(*case.args[:3], 0.5, 1.5))
    with pytest.raises(CheckFailed, match="number of spans"):
        span_rules(case, ref.t5_spans(*case.args[:3], 0.3, 3.0))
