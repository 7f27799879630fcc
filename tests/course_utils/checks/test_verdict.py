"""The lines of a broken promise show what decided, in numbers and in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from course_utils.checks.agree import Agree, close, same
from course_utils.checks.casefile import Entry
from course_utils.checks.draws import Case
from course_utils.checks.occasions import RADIX, TOTALS, told
from course_utils.checks.promised import answers_of
from course_utils.checks.promises import promise, promises
from course_utils.checks.selfcheck import Student
from course_utils.checks.verdict import report

LAYER = "word (hidden | kept)"


def lines(agree: Agree, want: Any, got: Any) -> str:
    """What is shown where ``got`` comes and ``want`` is right."""
    made = promises(
        reference={"f": lambda _: want},
        agree=agree,
        returns=("base", "head"),
        kept=[promise("any", "any", [(1,)], trouble=False)],
        always=(),
    )
    entry = Entry("x", tuple(made.listed()), tuple(made.trials(0, 1)), ())
    return "\n".join(report("f", entry, answers_of(entry, Student(lambda: {"f": lambda _: got}))))


def test_a_float_beside_a_whole_number_is_shown_to_the_last_digit():
    shown = lines(same(), (19481584320, 7), (19481583616.0, 7))
    assert "base = 19481583616\n" in shown and "base = 19481584320" in shown


@pytest.mark.parametrize("off", [1e-10, 1e-12])
def test_an_entry_that_is_only_a_little_off_is_found_where_equality_is_asked_for(off):
    assert "head = 1" in lines(same(), (0.5, 1.0), (0.5, 1.0 + off))


def test_an_entry_within_the_tolerance_is_not_shown_as_the_difference():
    x = torch.ones(3)
    assert "head = [2" in lines(close(1e-3), (x, x), (x + 1e-5, 2 * x))


@pytest.mark.parametrize(
    ("feature", "test", "words"),
    [
        ("one by one", "=1+", "word = kept"),
        ("one by one", "<=1-", "word = hidden or kept"),
        ("by place", f"={3 * RADIX}+", "word = hidden in place 3"),
        ("by row", f"={RADIX + 1}-", "word = kept in row 1"),
        ("pairs in a row", f"={RADIX}+", "word = kept, then hidden, two in a row, one behind the other"),
        ("neighbours alike in a column", "=1+", "word = alike, two in a column, one behind the other"),
        ("pairs alike in other calls", "=0+", "word = different, two in one call and the next, at one place"),
        ("number of 1 per row", f"={7 * TOTALS + 2}+", "rows of 7 in which word = kept comes 2 times"),
        ("by place", f"<={RADIX}+", f"{LAYER}, by place"),
    ],
)
def test_what_was_counted_is_said_in_words(feature, test, words):
    assert told(f"{LAYER}, {feature}", test) == words


def test_a_layer_without_names_has_its_numbers():
    assert told("coin, one by one", "=0+") == "coin = 0" and told("coin, one by one", "<=3+") == "coin = at most 3"


@pytest.mark.parametrize(("promised", "said"), [(3, "ZeroDivisionError for several promises"), (2, "broken: first")])
def test_an_exception_for_several_promises_blames_none_of_them(promised, said):
    sentences = ("first", "second", "third")[:promised]
    made = promises(
        reference={"f": lambda x: x},
        kept=[promise(one, "any", [(n,)], trouble=False) for n, one in enumerate(sentences)],
        always=(),
    )
    trials = [trial for number in range(promised) for trial in made.trials(number, 1)]
    entry = Entry("x", tuple(made.listed()), tuple(trials), ())
    assert said in "\n".join(report("f", entry, answers_of(entry, Student(lambda: {"f": lambda x: x / 0}))))


def test_where_many_answers_are_right_none_is_shown_as_the_one_to_copy():
    pair = (torch.ones(2), torch.zeros(2))
    made = promises(
        reference={"f": lambda _: pair},
        agree=close(1e-6, view="course_utils.lessons.positions.tenfold"),
        kept=[promise("any", "any", [(1,)], trouble=False)],
        always=(),
    )
    trial = made.trials(0, 1)[0]
    view = Agree(1e-6, view="course_utils.checks.allowed.nearest")
    case = Case((1,), setup={"allowed": [list(pair)]})
    shown = Entry("x", tuple(made.listed()), (replace(trial, case=case, agree=view, names=("how far it is off",)),), ())
    text = "\n".join(report("f", shown, answers_of(shown, Student(lambda: {"f": lambda _: (2 * pair[0], pair[1])}))))
    assert "yours     how far it is off = 1" in text and "expected  how far it is off = 0" in text
