"""Hints that are looked up: another processor rounds otherwise, and the same mistake gets the same hint there."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from autograder.source.visible import entries, folder_of
from course_utils.checks.casefile import Entry, Mistake, from_json
from course_utils.checks.fingerprint import STEPS, alike, fingerprint
from course_utils.checks.promised import answers_of
from course_utils.checks.selfcheck import Student
from tests.course_utils.checks.test_promises import entry
from tests.paths import ROOT

FILES = sorted(folder_of(ROOT / "data").glob("*.json"))


def answers(entry: Entry, factor: float):
    return answers_of(entry, Student(lambda: {"scaled": lambda x, k: (factor * k * x, k)}))


def filed(**factors: float) -> Entry:
    return entry(tuple(Mistake(name, tuple(map(fingerprint, answers(entry(), f)))) for name, f in factors.items()))


@pytest.mark.parametrize(
    ("factor", "hint"), [(2.0, "twice"), (2 + 8e-6, "twice"), (2.0005, "more"), (2.0004, "more"), (2.1, "")]
)
def test_the_nearest_mistakes_on_file_decide(factor: float, hint: str) -> None:
    made = filed(twice=2.0, more=2.0005)
    assert made.hint(answers(made, factor)) == hint


def test_of_two_mistakes_that_are_equally_near_neither_is_named() -> None:
    made = filed(twice=2.0, doubled=2.000001)
    assert made.hint(answers(made, 2.00001)) == ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_answers_on_file_that_differ_by_rounding_alone_have_one_hint(path: Path) -> None:
    """Or one of the hints is a promise's own sentence, which the judge says without a look-up."""
    assert len(FILES) == 8
    for name, raw in entries(path).items():
        found = from_json(raw)
        promised = tuple(one.sentence for one in found.promises)
        for one, other in combinations(found.mistakes, 2):
            if one.hint != other.hint and alike(one.prints, other.prints, near=STEPS[0]):
                assert one.hint.startswith(promised) or other.hint.startswith(promised), (name, one.hint, other.hint)
