"""A neighbour costs nobody a point: what came near a limit in company is judged again by itself, and that counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.grading import store
from autograder.grading.again import merged
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.grading.summary import Summary
from tests.autograder.grading.judges import crowded
from tests.autograder.tiny_course import NAME, hand_in, make_release, solved


def graded(tmp_path: Path, *students: str, workers: int) -> tuple[Summary, dict[str, int]]:
    release = make_release(tmp_path / "release")
    (release.root / "size").write_text(str(len(students)))
    for student in students:
        hand_in(tmp_path / "subs" / student)
    how = Settings(progress=False, execute=crowded, workers=workers)
    summary = grade(tmp_path / "subs", release, tmp_path / "out", NAME, how)
    return summary, {one: len((release.root / f"runs-{one}").read_text()) for one in students}


def test_what_suffered_in_company_is_judged_by_itself_and_that_counts(tmp_path: Path) -> None:
    names = ("slow", "timeout", "dead", "killed", "unbuilt", "quick", "fine", "neighbour")
    summary, runs = graded(tmp_path, *names, workers=8)
    found = {one.student: one for one in summary.outcomes}
    assert {name: one.points for name, one in found.items()} == dict.fromkeys(names, 5.0) | {"quick": 3.0}
    hurt = ("slow", "timeout", "dead", "killed", "unbuilt")
    assert runs == {name: 2 if name in hurt else 1 for name in names}
    for name in hurt:
        assert any("judged again by itself" in note for note in found[name].notes)
    entry = store.open_ledger(make_release(tmp_path / "release")).standings()[(NAME, "timeout")].verdict
    assert entry and "london timeout with 0 points after 60.0 s" in str(entry["result"]["notes"])


def test_the_control_without_a_second_judgement_the_neighbour_costs_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.grading.pipeline.limited", lambda *_: "")
    summary, _ = graded(tmp_path, "slow", "neighbour", workers=2)
    assert {one.student: one.points for one in summary.outcomes} == {"slow": 3.0, "neighbour": 5.0}


def test_who_was_alone_is_not_judged_twice(tmp_path: Path) -> None:
    _, runs = graded(tmp_path, "timeout", workers=1)
    assert runs == {"timeout": 1}


def test_a_wrong_answer_that_is_slow_stays_wrong(tmp_path: Path) -> None:
    release = make_release(tmp_path / "release")
    (release.root / "size").write_text("2")
    hand_in(tmp_path / "subs" / "slow", solved("return x", "return x"))
    hand_in(tmp_path / "subs" / "neighbour")
    how = Settings(progress=False, execute=crowded, workers=2)
    summary = grade(tmp_path / "subs", release, tmp_path / "out", NAME, how)
    assert {one.student: one.points for one in summary.outcomes} == {"slow": 0.0, "neighbour": 5.0}


def test_who_turns_out_unchanged_the_second_time_stays_so() -> None:
    dead, unchanged = '{"state": "dead", "reason": "killed"}', '{"state": "unchanged"}'
    assert merged(dead, unchanged, "killed") == unchanged
    assert "also when judged by itself" in merged(dead, dead, "killed")
