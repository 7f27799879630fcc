"""The line while a class is graded names who is judged and what, and its estimate moves while one submission does not."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import pipeline, progress
from autograder.grading.pipeline import grade
from autograder.grading.progress import Live, Running, seconds_left, spoken
from autograder.grading.settings import Settings
from autograder.intake.discover import survey
from tests.autograder.grading.judges import slow
from tests.autograder.tiny_course import NAME, fake_execute, hand_in, make_release, solved


def at(folder: Path, student: str, seconds: float, note: str = "") -> Running:
    told = folder / f"{student}.now"
    if note:
        told.write_text(note)
    return Running(student, seconds, told)


def test_student_and_exercise_are_named(tmp_path: Path) -> None:
    assert at(tmp_path, "ann", 8.2, "paris\t2\t12").words() == "ann: paris, 2 of 12, 8 s"
    for nothing in ("", "half a no", "a\tb\tc"):
        assert at(tmp_path, "ben", 3.0, nothing).words() == "ben: the notebook's cells, 3 s"


def test_the_estimate_grows_while_one_does_not_come_further(tmp_path: Path) -> None:
    times = [seconds_left([at(tmp_path, "eve", s, "loop\t7\t12")], 0, 10.0, 2) for s in (6.0, 30.0, 90.0, 300.0)]
    assert times == sorted(times) and len(set(times)) == 4


def test_the_estimate_falls_with_every_check_and_counts_who_waits(tmp_path: Path) -> None:
    early = seconds_left([at(tmp_path, "a", 2.0, "x\t2\t10")], 8, 10.0, 2)
    late = seconds_left([at(tmp_path, "a", 8.0, "x\t9\t10")], 8, 10.0, 2)
    assert early == pytest.approx(44.0) and late == pytest.approx(41.0)
    assert seconds_left([at(tmp_path, "b", 2.0)], 5, 0.0, 2) is None
    # before anybody is done: four seconds for half of the checks, so eight for everybody
    assert seconds_left([at(tmp_path, "c", 4.0, "x\t6\t10")], 2, 0.0, 1) == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, "not known"), (0.2, "about 1 s"), (80, "80 s"), (600, "10 min"), (9000, "2.5 h")],
)
def test_times_are_rounded(seconds: float | None, words: str) -> None:
    assert words in spoken(seconds)


def test_the_slowest_are_named_and_the_others_counted(tmp_path: Path) -> None:
    live = Live("grading", 40, 8, quiet=True)
    live.bar.n, live.bar.total = 10, 40
    live.done(5.0)
    words = live.words([at(tmp_path, f"s{n}", float(n), "x\t1\t2") for n in range(8)])
    assert "s7: x, 1 of 2, 7 s; s6" in words and words.endswith("and 4 more") and "left" in words


def test_a_run_shows_the_line_and_a_cluster_gets_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    release = make_release(tmp_path / "release")
    for student in ("ann", "ben"):
        hand_in(tmp_path / "subs" / student)
    seen = Terminal()
    monkeypatch.setattr(progress.sys, "stderr", seen)
    assert grade(tmp_path / "subs", release, tmp_path / "out", NAME, Settings(execute=slow, workers=2)).exit_code == 0
    assert "ann: paris, 2 of 2, " in seen.getvalue() and "2 of 2 |" in seen.getvalue()
    run = pipeline.GradingRun(release, tmp_path / "out", NAME, Settings(scheduler="tcp://somewhere"))
    assert [task.job.told for task in run.tasks(survey(tmp_path / "subs").found)] == [None, None]


@pytest.mark.parametrize("moment", ["judging", "entering"])
def test_an_interrupted_run_says_of_everybody_what_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    release = make_release(tmp_path / "release")
    for student, filled in (("ann", solved()), ("ben", solved("return x")), ("cat", solved())):
        hand_in(tmp_path / "subs" / student, filled)
    real_first, real_replay = pipeline.GradingRun.first, pipeline.GradingRun.replay

    def first(self: Any, tasks: Any) -> Any:
        for number, one in enumerate(real_first(self, tasks)):
            if number:
                raise KeyboardInterrupt
            yield one

    def replay(self: Any) -> Any:
        for student in real_replay(self):
            yield student
            raise KeyboardInterrupt

    name, by = ("first", first) if moment == "judging" else ("replay", replay)
    with monkeypatch.context() as patch:
        patch.setattr(pipeline.GradingRun, name, by)
        how = Settings(progress=False, execute=fake_execute, workers=1)
        summary = grade(tmp_path / "subs", release, tmp_path / "out", NAME, how)
    assert summary.exit_code == 130
    told = {one.student: (one.points, one.max_points, one.to_mark) for one in summary.outcomes}
    whole = {"ann": (5.0, 6.0, 1.0), "ben": (3.0, 6.0, 1.0), "cat": (5.0, 6.0, 1.0)}
    assert told == {key: whole[key] for key in told} and sorted([*told, *summary.left]) == ["ann", "ben", "cat"]
    assert len(told) == (1 if moment == "judging" else 3)
    late = [one.student for one in summary.outcomes if "not in the gradebook yet" in one.notes]
    assert len(late) == (1 if moment == "judging" else 2)
    assert json.loads((tmp_path / "out" / f"{NAME}.json").read_text())["left"] == summary.left
    again = grade(tmp_path / "subs", release, tmp_path / "out", NAME, how)
    assert again.exit_code == 0 and not again.left and not any(one.notes for one in again.outcomes)


def test_a_run_without_anything_to_do_shows_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    Live("judging again", 0, 2, quiet=False).close()
    assert capsys.readouterr().err == ""
    Live("judging again", 1, 2, quiet=False).close()
    assert "judging again" in capsys.readouterr().err
