"""No answer sends more than one bit about its hidden inputs, and without our measures each of these would."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.intake.discover import Intake
from autograder.records import Result, Verdict
from tests.attacks import channel, seen, toy

FAST = ("line of the exception", "shape of an array")


def test_there_are_enough_attacks_and_each_is_its_own() -> None:
    assert len({leak.text for leak in channel.LEAKS}) == len(channel.LEAKS) >= 200


def test_a_sample_sends_at_most_a_bit(tmp_path: Path) -> None:
    """One way by exception and one by a wrong value; the slow test has all others."""
    pairs = zip(FAST, [*channel.MODES][:2], strict=True)
    leaks = [next(leak for leak in channel.LEAKS if (leak.way, leak.mode) == pair) for pair in pairs]
    found = channel.measured(tmp_path, leaks)
    assert all(one.held for one in found)
    assert all(one.control > 2 for one in found), "the control: without our measures more than a bit arrives"


@pytest.mark.parametrize("part", ["hint", "output"])
def test_exports_and_nbgraders_page_show_what_a_verdict_says(part: str, tmp_path: Path) -> None:
    """The control of the two: what would be a channel in a verdict or an output is seen in them."""
    pages, lines = [], []
    for said in ("first", "second"):
        verdict = Verdict("x0", "failed", 0.0, 2.0, hint=said if part == "hint" else "the same")
        shown = {"output_type": "stream", "name": "stdout", "text": said if part == "output" else "the same"}
        result = Result("ada", "00_toy", [verdict], {"answer-x0": [shown]})
        cells = [toy.code_cell("answer-x0", "def x0(): pass"), toy.code_cell("check-x0", "")]
        intake = Intake("ada", "00_toy", {"cells": cells}, tmp_path, [], "", "")
        pages.append(seen.nbgrader_page(cells, result, 2.0))
        lines.append(seen.exported(result, intake))
        assert said in pages[-1], "nbgrader's page shows hints and outputs"
    assert pages[0] != pages[1]
    assert (lines[0] != lines[1]) is (part == "hint"), "exports hold hints and no outputs"


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(list(channel.batches(channel.LEAKS)))))
def test_every_attack_sends_at_most_a_bit(tmp_path: Path, number: int) -> None:
    found = channel.measured(tmp_path, list(channel.batches(channel.LEAKS))[number])
    assert [one for one in found if not one.held] == []
    assert all(one.control > 1 for one in found), "the control: each of them is a channel without our measures"
