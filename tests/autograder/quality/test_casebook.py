"""Records of mistakes: what the clock of the building machine did is none."""

from __future__ import annotations

import pytest

from autograder.quality import casebook
from autograder.source.visible import entries, folder_of
from course_utils.checks.casefile import Entry, from_json
from course_utils.checks.verdict import broken
from tests.paths import ROOT

WRONG = """
def london_baseline(train, dev):
    {slow}
    return "Atlantis", 2.0
"""


@pytest.fixture(scope="module")
def london() -> Entry:
    return from_json(entries(folder_of(ROOT / "data") / "07_knowledge.json")["london"])


def test_an_answer_that_takes_its_time_leaves_no_record(london: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(casebook, "SECONDS", 0.2)
    endless = WRONG.format(slow="while len(dev) > 1: pass")  # the cases with one question are answered
    assert casebook._answers(london, [endless]) == []


@pytest.mark.parametrize(
    ("hint", "read"),
    [
        ("answers count to the letter", "answers count to the letter, as they are written"),
        ("the town must come from the training answers", "the town must come from the training answers"),
    ],
)
def test_a_piece_of_a_promise_is_told_as_the_whole_promise(london: Entry, hint: str, read: str) -> None:
    found = casebook._answers(london, [WRONG.format(slow="pass")])
    assert casebook._told(london, found, hint) == read


def test_waiting_for_the_machine_is_not_its_time(london: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(casebook, "SECONDS", 0.2)
    found = casebook._answers(london, ["import time", WRONG.format(slow="time.sleep(0.05)")])
    assert len(found) * 0.05 > 0.2 and broken(found)
