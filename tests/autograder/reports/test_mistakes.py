"""The report's table of mistakes, and who may need help."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from markupsafe import Markup

from autograder.judge.hints import OTHER_INPUTS
from autograder.reports.class_report import report_page
from autograder.reports.feedback import Row
from autograder.reports.mistakes import (
    BLANK,
    BROKEN,
    ERROR,
    HIDDEN,
    KNOWN,
    OTHER,
    OnFile,
    may_need_help,
    mistake_rows,
    on_file,
    sorted_out,
)
from autograder.reports.roll import Roll, StudentRow
from tests.autograder.tiny_course import NAME, FakeRelease
from tests.paths import ROOT

SUM, WIDE = "the weights add up to 1", "the weights add up to 1 for any sizes"
FILE = OnFile(frozenset({"you divide by n, not by the sum"}), (SUM, WIDE))


def row(exercise: str, points: float, hint: str = "", status: str = "failed") -> Row:
    shown = "passed" if points == 2 else status
    words = (f"{points:g}", "2", hint, "", False, Markup(""), shown)
    return Row(exercise, exercise, "✗", "not right yet", "failed", *words)


@pytest.mark.parametrize(
    ("hint", "status", "found"),
    [
        ("you divide by n, not by the sum", "failed", (KNOWN, "you divide by n, not by the sum")),
        (SUM, "failed", (BROKEN, SUM)),
        (f"{WIDE} (the shape is (2,), it should be (3,))", "failed", (BROKEN, WIDE)),
        (f"your code raised IndexError in line 3; promised is: {SUM}", "error", (BROKEN, SUM)),
        ("your code raised IndexError in line 3", "error", (ERROR, "your code raised IndexError in line 3")),
        (OTHER_INPUTS, "failed", (HIDDEN, OTHER_INPUTS)),
        ("not written yet", "unsolved", (BLANK, "not written yet")),
        ("check the shape", "failed", (OTHER, "check the shape")),
    ],
)
def test_a_hint_is_sorted_by_what_is_on_file(hint: str, status: str, found: tuple[str, str]) -> None:
    assert sorted_out(hint, status, FILE) == found


def test_equal_mistakes_are_counted_together_and_name_everybody() -> None:
    people = [
        StudentRow(f"s{n}", [row("attend", 0, f"{SUM} (it is {n})"), row("mask", 0, "mask the future")], 0, 4)
        for n in range(3)
    ]
    people.append(StudentRow("s3", [row("attend", 2), row("mask", 0, "mask the future")], 2, 4))
    blank = [row("attend", 0, "not written yet", "unsolved"), row("mask", 2)]
    people += [StudentRow(f"late{n}", blank, 2, 4) for n in range(5)]  # what was not tried is no mistake
    first, second = mistake_rows(people, {"attend": FILE})
    assert (first["exercise"], first["kind"], first["count"]) == ("mask", OTHER, 4)
    assert (second["kind"], second["words"], second["count"]) == (BROKEN, SUM, 3)
    assert [one.student for one in second["students"]] == ["s0", "s1", "s2"]
    text = report_page(Roll(people, [], listed=False), "t", "r", known={"attend": FILE})
    assert "Most frequent mistakes" in text and text.count(SUM) == 1 + 2, (
        "in the table, and two of the three hints of the exercise"
    )
    assert "s0, s1, s2</details>" in text


def test_who_may_need_help_is_named_with_what_was_missed() -> None:
    weak = StudentRow("weak", [row("a", 0, status="unsolved"), row("b", 0.5), row("c", 2), row("d", 0)], 2.5, 8)
    fine = StudentRow("fine", [row("a", 2), row("b", 0), row("c", 2), row("d", 0)], 4, 8, share=0.1, late="4 d")
    waits = StudentRow("waits", [row("a", 2), replace(row("b", 0), points="–")], 2, 4, waiting=1)
    people = [weak, fine, waits, replace(weak, student="ill", excused=True), StudentRow("gone")]
    ((one, why),) = may_need_help(people)
    assert one.student == "weak" and why == "2.5 of 8; not solved: a; wrong or partly right: b, d"
    text = report_page(Roll(people, [], listed=True), "t", "r")
    assert "may need help" in text and "not solved: a" in text


def test_the_courses_own_file_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "student" / "data" / "promises"
    folder.mkdir(parents=True)
    assert on_file(FakeRelease(tmp_path), NAME) == {}
    source = ROOT / "data" / "promises" / "01_attention.json"
    (folder / f"{NAME}.json").write_bytes(source.read_bytes())
    found = on_file(FakeRelease(tmp_path), NAME)
    entries = json.loads(source.read_text(encoding="utf-8"))["exercises"]
    assert found.keys() == entries.keys() and all(one.promises for one in found.values())
    hint = "the query does not grow with β: scale it"
    assert sorted_out(hint, "failed", found["averaging"]) == (KNOWN, hint)
