"""A cut-off end, an edited result and a second grader are noticed; a crash at any step is finished by the next run."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import entering, gradebook, lock, repair, store
from autograder.grading.copies import noted_end
from autograder.grading.gradebook import marks
from autograder.grading.ledger import Ledger, LedgerCut, LedgerError
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.grading.summary import Summary
from autograder.release.nbgrader_db import open_api
from autograder.reports.class_report import class_report, collect
from autograder.reports.exports import export
from autograder.reports.feedback import write_feedback
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, graded_class, hand_in, make_release


def run(base: Path, **more: Any) -> Summary:
    how = Settings(progress=False, execute=fake_execute, workers=2, **more)
    return grade(base / "subs", FakeRelease(base / "release"), base / "out", NAME, how)


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    """A release with two graded students: 5 points and 1.5."""
    graded_class(tmp_path)
    return tmp_path


def release_of(base: Path) -> FakeRelease:
    return FakeRelease(base / "release")


def ledger_path(base: Path) -> Path:
    return base / "release" / "instructor" / "ledger.jsonl"


def all_fine(base: Path) -> list[str]:
    """Grade once more; returns the kinds of all entries."""
    summary = run(base)
    assert {one.student: (one.points, one.state) for one in summary.outcomes} == {
        "ann": (5.0, "unchanged"), "ben": (1.5, "unchanged"),
    }  # fmt: skip
    assert marks(release_of(base), NAME, "ben")["check-paris"].score == 1.5
    store.open_ledger(release_of(base)).verify()
    return [entry.kind for entry in store.open_ledger(release_of(base))]


def cut(path: Path, count: int) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-count]))


@pytest.mark.parametrize("count", [1, 2, 6])
def test_an_end_cut_off_whole_is_named_and_put_back(graded: Path, count: int) -> None:
    cut(ledger_path(graded), count)
    with pytest.raises(LedgerCut, match=r"cut off; missing are entries .* (recorded of ben|and 1 more)"):
        store.open_ledger(release_of(graded))
    assert all_fine(graded).count("repair") == 1


def test_a_missing_ledger_is_no_new_ledger(graded: Path) -> None:
    ledger_path(graded).unlink()
    with pytest.raises(LedgerCut, match="gone"):
        store.open_ledger(release_of(graded))
    assert all_fine(graded).count("verdict") == 2


def test_an_end_cut_off_in_ledger_and_copy_is_found_by_the_gradebook(graded: Path) -> None:
    cut(ledger_path(graded), 1)
    cut(store.copy_path(release_of(graded)), 1)
    with pytest.raises(LedgerCut, match="gradebook's note says 6"):
        store.open_ledger(release_of(graded))
    with pytest.raises(CourseError, match="backup"):
        run(graded)


def test_a_rewritten_chain_differs_from_its_copy_and_needs_a_person(graded: Path) -> None:
    path = ledger_path(graded)
    entries = list(Ledger(path))
    path.unlink()
    forged = Ledger(path)
    for entry in entries:
        data = json.loads(json.dumps(entry.data).replace('"points": 1.5', '"points": 3.0'))
        forged.append(entry.kind, **data)
    assert forged.verify()[0] == 6
    with pytest.raises(LedgerError, match="changed after it was written"):
        run(graded)
    with pytest.raises(LedgerError, match="backup"):  # two sound chains: which one is true, no program can know
        repair.restore(release_of(graded))


def test_one_changed_line_is_put_back_by_the_command_alone(graded: Path) -> None:
    path = ledger_path(graded)
    path.write_bytes(path.read_bytes().replace(b'"points": 1.5', b'"points": 3.0'))
    with pytest.raises(LedgerError, match="changed"):
        run(graded)
    assert "put back" in repair.restore(release_of(graded))
    assert repair.restore(release_of(graded)) == "" and path.with_name("ledger.jsonl.damaged-1").exists()
    all_fine(graded)


@pytest.mark.parametrize("behind", [1, 3, 6])
def test_a_copy_that_a_crash_left_behind_is_completed_and_no_alarm(graded: Path, behind: int) -> None:
    copy = store.copy_path(release_of(graded))
    cut(copy, behind)
    copy.write_bytes(copy.read_bytes() + b'{"n": torn')
    assert "repair" not in all_fine(graded)
    assert copy.read_bytes() == ledger_path(graded).read_bytes()


def test_a_ledger_of_version_0_1_without_copy_and_note_is_taken_over(graded: Path) -> None:
    store.copy_path(release_of(graded)).unlink()
    book = graded / "release" / "instructor" / "gradebook.db"
    with sqlite3.connect(book) as base:
        base.execute("DROP TABLE autograder_ledger_end")
    all_fine(graded)
    assert noted_end(book) is not None and store.copy_path(release_of(graded)).exists()


def edited(base: Path, *, with_its_own_hash: bool) -> None:
    """Give ben all points in the stored result."""
    path = store.result_path(store.course_dir(release_of(base)), NAME, "ben")
    data = json.loads(path.read_text())
    data["result"]["verdicts"][0]["points"] = 2.0
    if with_its_own_hash:
        data["sha256"] = store._own_hash(data)
    path.write_text(json.dumps(data, indent=1))


@pytest.mark.parametrize("clever", [False, True])
def test_an_edited_result_is_found_and_judged_again_with_the_same_draws(graded: Path, clever: bool) -> None:
    seeds = [
        e.data["seeds"]
        for e in store.open_ledger(release_of(graded))
        if e.data["student"] == "ben" and "seeds" in e.data
    ]
    edited(graded, with_its_own_hash=clever)
    assert any("ben" in sentence for sentence in repair.changed_results(release_of(graded)))
    with pytest.raises(CourseError, match="changed"):
        entering.rebuild_gradebook(release_of(graded), NAME, progress=False)
    summary = run(graded)
    assert [(o.points, o.state) for o in summary.outcomes if o.student == "ben"] == [(1.5, "graded")]
    assert "gone or changed" in summary.notes[0]
    last = [e for e in store.open_ledger(release_of(graded)) if e.kind == "verdict"][-1]
    assert last.data["seeds"] == seeds[0] and repair.changed_results(release_of(graded)) == []


@pytest.mark.parametrize("noted", [True, False])
def test_an_edited_result_reaches_no_page_no_export_and_no_gradebook(
    graded: Path, monkeypatch: pytest.MonkeyPatch, noted: bool
) -> None:
    release = release_of(graded)
    if not noted:  # entries of version 0.1 have no hash of the file
        whole = store.open_ledger(release).standings()
        monkeypatch.setattr(Ledger, "standings", lambda self: whole)
        for standing in whole.values():
            assert standing.verdict and standing.verdict.pop("stored")
    edited(graded, with_its_own_hash=True)
    assert store.find_stored(store.course_dir(release), NAME, "ben")  # the control: by itself it looks sound
    for write in (
        lambda: collect(release, NAME),
        lambda: write_feedback(release, NAME, graded / "fb", progress=False),
        lambda: class_report(release, NAME, graded / "report"),
        lambda: export(release, NAME, "csv", graded / "grades.csv"),
    ):
        with pytest.raises(CourseError, match="grade again"):
            write()
    assert not (graded / "grades.csv").exists() and not (graded / "report" / "index.html").exists()
    answer = open_api(store.course_dir(release)).autograde(NAME, "ben", force=True)
    assert not answer["success"] and "grade again" in answer["log"]
    assert marks(release, NAME, "ben")["check-london"].score == 0.0


def test_a_second_grader_says_who_is_at_work(graded: Path) -> None:
    with lock.alone(store.course_dir(release_of(graded))):
        with pytest.raises(CourseError, match=r"\(process \d+ on .*, since .*\) is grading in .*--wait"):
            run(graded)
        with pytest.raises(CourseError, match="wait for it to end, then give the command again"):  # it has no --wait
            entering.replay_student(release_of(graded), NAME, "ann")
    all_fine(graded)


def test_verdicts_of_an_interrupted_run_are_entered_though_their_hand_ins_are_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_release(tmp_path / "release")
    hand_in(tmp_path / "subs" / "ann")
    with monkeypatch.context() as patch:
        patch.setattr(gradebook, "record", _full)
        summary = run(tmp_path)
    assert [(o.state, o.reason) for o in summary.outcomes] == [("unrecorded", "No space left on device")]
    assert marks(release_of(tmp_path), NAME, "ann") == {}
    (tmp_path / "subs" / "ann").rename(tmp_path / "gone")
    hand_in(tmp_path / "subs" / "zoe")
    assert run(tmp_path).notes == ["ann: entered in the gradebook, graded in an earlier run"]
    assert marks(release_of(tmp_path), NAME, "ann")["check-london"].score == 2.0


def _full(*_: Any) -> list[str]:
    raise CourseError("No space left on device")


def test_entering_is_repeated_until_a_busy_gradebook_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_release(tmp_path / "release")
    hand_in(tmp_path / "subs" / "ann")
    real, failures = gradebook.record, [RuntimeError("database is locked"), RuntimeError("")]

    def busy(*args: Any) -> list[str]:
        if failures:
            raise failures.pop(0)
        return real(*args)

    monkeypatch.setattr(gradebook, "record", busy)
    monkeypatch.setattr(entering, "PAUSE", 0.0)
    assert [(o.state, o.points) for o in run(tmp_path).outcomes] == [("graded", 5.0)]


@pytest.mark.parametrize("damage", ["scores", "students", "header", "cut"])
def test_a_gradebook_that_is_damaged_or_says_something_else_is_mended(graded: Path, damage: str) -> None:
    path = graded / "release" / "instructor" / "gradebook.db"
    if damage in ("scores", "students"):
        with sqlite3.connect(path) as base:
            base.execute(
                "UPDATE grade SET auto_score = 3" if damage == "scores" else "DELETE FROM submitted_assignment"
            )
    elif damage == "header":
        path.write_bytes(b"x" * 100 + path.read_bytes()[100:])
    else:
        path.write_bytes(path.read_bytes()[:20_000])
    all_fine(graded)
    assert not gradebook_differs(graded)


def gradebook_differs(base: Path) -> set[str]:
    from autograder.grading.database import differing

    standings = store.open_ledger(release_of(base)).standings()
    return differing(base / "release" / "instructor" / "gradebook.db", NAME, standings)


def test_a_fresh_class_agrees_with_its_gradebook(graded: Path) -> None:
    assert gradebook_differs(graded) == set()
