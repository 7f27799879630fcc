"""Records of mistakes: none is lost to the clock of the building machine."""

from __future__ import annotations

import pytest

from autograder.quality import casebook
from autograder.quality.filed import Mutant
from autograder.source.percent import read_source
from autograder.source.visible import entries, folder_of
from course_utils.checks.casefile import Entry, from_json
from course_utils.checks.verdict import broken
from course_utils.errors import CourseError
from tests.paths import ROOT

WRONG = """
def london_baseline(train, dev):
    {slow}
    return "Atlantis", 2.0
"""


@pytest.fixture(scope="module")
def london() -> Entry:
    return from_json(entries(folder_of(ROOT / "data") / "07_knowledge.json")["london"])


def test_an_answer_that_takes_its_time_ends_the_build(london: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    """Left out in silence, its students would get no hint: that had happened to six while other work ran beside."""
    monkeypatch.setattr(casebook, "SECONDS", 0.2)
    endless = Mutant("london", "endless", WRONG.format(slow="while len(dev) > 1: pass"), wrong=True, hint="x")
    monkeypatch.setattr(casebook, "read_mutants", lambda *_: {"london": [endless]})
    with pytest.raises(CourseError, match="london/endless is not done with the visible cases"):
        list(casebook._mistakes(read_source(ROOT / "solutions" / "07_knowledge.py"), "london", london))


def test_what_answers_print_is_not_seen(london: Entry, capfd: pytest.CaptureFixture[str]) -> None:
    casebook._answers(london, ["import sys", WRONG.format(slow="print(1); print(2, file=sys.stderr)")])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("hint", "read"),
    [
        ("answers count to the letter", "answers count to the letter, as they are written"),
        ("the town must come from the training answers", "the town must come from the training answers"),
    ],
)
def test_a_piece_of_a_promise_is_told_as_the_whole_promise(london: Entry, hint: str, read: str) -> None:
    found = casebook._answers(london, [WRONG.format(slow="pass")])
    assert found
    assert casebook._told(london, found, hint) == read


def test_waiting_for_the_machine_is_not_its_time(london: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(casebook, "SECONDS", 0.2)
    found = casebook._answers(london, ["import time", WRONG.format(slow="time.sleep(0.05)")])
    assert found and len(found) * 0.05 > 0.2 and broken(found)
