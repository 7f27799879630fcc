"""The record of how long ``exercise check`` takes: what was measured beside other work does not count."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from benchmarks.speed import exercise_check as bench
from course_utils.errors import CourseError

KNOWN = {"01_attention/attention": 22, "01_attention/heads": 9, "02_blocks/scale": 30}
FOUND = {
    "01_attention/attention": {"wall_s": 12.0, "load": 0.2},
    "01_attention/heads": {"wall_s": 41.4, "load": 2.1},
    "02_blocks/scale": {"wall_s": 9.0, "load": 7.0},
}


def test_every_exercise_with_a_check_is_measured() -> None:
    found = bench.wanted()
    assert len(found) >= 64 and min(found.values()) >= 2 and "07_knowledge/london" in found


def test_a_time_beside_other_work_does_not_count() -> None:
    assert list(bench.lines(FOUND, KNOWN)) == [
        "1 of 3 under 30 s; 1 not measured on an idle machine",
        "  01_attention/heads: 41 s, 9 answers",
        "  01_attention/attention: 12 s, 22 answers",
    ]
    assert not bench.idle(None)


def test_only_what_is_missing_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record, measured = tmp_path / "times.json", []
    record.write_text(json.dumps({"exercises": FOUND}))
    monkeypatch.setattr(bench, "wanted", lambda notebook: KNOWN)
    monkeypatch.setattr(bench, "timed", lambda name, workers: measured.append(name) or {"wall_s": 8.0, "load": 0.1})
    assert bench.main(["--record", str(record)]) == 0
    assert measured == ["02_blocks/scale"] and "2 of 3 under 30 s; 0 not" in capsys.readouterr().out
    assert json.loads(record.read_text())["exercises"]["02_blocks/scale"] == {"wall_s": 8.0, "load": 0.1}
    monkeypatch.setattr(bench, "timed", lambda name, workers: {"wall_s": 8.0, "load": 9.0})
    assert bench.main(["--record", str(tmp_path / "busy.json")]) == 1
    record.write_text("[]")
    with pytest.raises(CourseError, match="no record of exercise checks"):
        bench.read(record)


def test_a_command_that_finds_something_wrong_has_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert command[2:] == ["autograder", "exercise", "check", "01_attention", "heads", "--workers", "2"]
        return subprocess.CompletedProcess(command, 1, "✗ x.py\n1 problems", "")

    monkeypatch.setattr(bench.subprocess, "run", run)
    with pytest.raises(CourseError, match=r"01_attention/heads: 1 problems; mend it"):
        bench.timed("01_attention/heads", 2)
