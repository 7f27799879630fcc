"""nbgrader's gradebook says exactly what the judge said, with a real course made by nbgrader; nothing hidden leaks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.grading import gradebook, store
from autograder.grading.gradebook import GradebookError, Mark, make_job, marks, record
from autograder.grading.standing import Hand
from autograder.records import Verdict
from autograder.release.nbgrader_db import db_url, open_api
from tests.autograder.tiny_course import NAME, SECRET, FakeRelease, fake_execute, hand_in, make_release, solved, taken


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> FakeRelease:
    return make_release(tmp_path_factory.mktemp("release"))


def judged(release: FakeRelease, tmp_path: Path, student: str, filled: dict[str, Any]) -> tuple[Any, Any]:
    intake = taken(release, tmp_path, student, filled)
    return fake_execute(make_job(release, intake)), intake


def score(release: FakeRelease, student: str) -> dict[str, float | None]:
    with Gradebook(db_url(store.course_dir(release))) as book:
        found = book.find_submission_notebook(NAME, NAME, student)
        return {grade.name: grade.auto_score for grade in found.grades}


@pytest.mark.parametrize(
    ("london", "paris", "expected"),
    [("x + 1", "x + 1", (2.0, 3.0)), ("x + 0.5", "x", (1.0, 0.0)), ("x", "x + 0.5", (0.0, 1.5))],
)
def test_scores_are_the_verdicts(
    release: FakeRelease, tmp_path: Path, london: str, paris: str, expected: tuple[float, float]
) -> None:
    student = f"s{expected[0]:g}_{expected[1]:g}".replace(".", "p")
    result, intake = judged(release, tmp_path, student, solved(f"return {london}", f"return {paris}"))
    record(release, result, intake)
    got = score(release, student)
    assert (got["check-london"], got["check-paris"], got["written-why"]) == (*expected, None)
    book = marks(release, NAME, student)
    assert book["written-why"] == Mark(0.0, 1.0, "", True) and not book["check-london"].waiting


def test_the_autograded_cell_of_a_failure_carries_the_hint_and_nothing_else(
    release: FakeRelease, tmp_path: Path
) -> None:
    result, intake = judged(release, tmp_path, "hint", solved("return x"))
    record(release, result, intake)
    path = store.course_dir(release) / "autograded" / "hint" / NAME / f"{NAME}.ipynb"
    cell = next(c for c in nbformat.read(path, 4).cells if c.id == "check-london")
    (output,) = cell.outputs
    assert output.evalue == "london: add one, not something else" and output.traceback == [output.evalue]


def test_the_time_stamp_is_the_platforms_or_none(release: FakeRelease, tmp_path: Path) -> None:
    """When the grader first saw a hand-in is nobody's time, so nbgrader gets none."""
    for student, timed in (("late", True), ("mail", False)):
        result, intake = judged(release, tmp_path, student, solved())
        record(release, result, replace(intake, received="2026-11-20T12:00:00+02:00", timed=timed))
    with Gradebook(db_url(store.course_dir(release))) as book:
        assert book.find_submission(NAME, "late").timestamp.isoformat() == "2026-11-20T10:00:00"
        assert book.find_submission(NAME, "mail").timestamp is None


def test_nbgrader_alone_reuses_the_stored_result_and_refuses_another_notebook(
    release: FakeRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, intake = judged(release, tmp_path, "again", solved("return x"))
    record(release, result, intake)
    course = store.course_dir(release)
    assert open_api(course).autograde(NAME, "again")["success"]
    assert score(release, "again")["check-london"] == 0.0
    path = course / "submitted" / "again" / NAME / f"{NAME}.ipynb"
    path.write_text(path.read_text().replace("return x", "return x + 1"))
    monkeypatch.setattr(gradebook.shutil, "which", lambda name: None)
    answer = open_api(course).autograde(NAME, "again")
    assert not answer["success"] and "install bubblewrap" in answer["log"]
    assert score(release, "again")["check-london"] == 0.0


def test_nbgrader_alone_judges_what_has_no_result(
    release: FakeRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = store.course_dir(release)
    hand_in(course / "submitted" / "walkin" / NAME, solved("return x + 0.5"))
    monkeypatch.setattr(gradebook.shutil, "which", lambda name: "/usr/bin/bwrap")
    monkeypatch.setattr(gradebook, "load_release", lambda root: release)

    def judge(release: Any, found: Any, assignment: str, dest: Path) -> store.Stored:
        intake = gradebook.take_in(found, assignment, release.skeleton(assignment), dest)
        assert (intake.files / "predictions.txt").read_text() == "Rome\n"
        return store.Stored(fake_execute(make_job(release, intake)), intake)

    monkeypatch.setattr(gradebook, "judge", judge)
    answer = open_api(course).autograde(NAME, "walkin")
    assert answer["success"], answer
    assert score(release, "walkin")["check-london"] == 1.0
    assert store.open_ledger(release).standings()[NAME, "walkin"].points == 4.0


@pytest.mark.parametrize("wrong", ["missing", "too many", "other maximum", "nan"])
def test_what_does_not_fit_is_refused_and_scores_nothing(release: FakeRelease, tmp_path: Path, wrong: str) -> None:
    student = wrong.replace(" ", "_")
    result, intake = judged(release, tmp_path, student, solved())
    first = result.verdicts[0]
    bad = {
        "missing": [],
        "too many": [replace(first, points=99.0)],
        "other maximum": [replace(first, max_points=1.0, points=1.0)],
        "nan": [replace(first, points=float("nan"))],
    }[wrong]
    result.verdicts = [*bad, result.verdicts[1]]
    with pytest.raises(GradebookError):
        record(release, result, intake)
    assert not score(release, student).get("check-london")


def test_a_gradebook_that_says_otherwise_is_noticed(
    release: FakeRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, intake = judged(release, tmp_path, "drift", solved())
    monkeypatch.setattr(gradebook, "write_outputs", lambda nb, result: None)  # silence: nbgrader would give full marks
    result.verdicts[0] = replace(result.verdicts[0], points=0.0, status="failed")
    with pytest.raises(GradebookError, match="the judge 0"):
        record(release, result, intake)


def test_overrides_become_manual_scores_and_lapse(release: FakeRelease, tmp_path: Path) -> None:
    result, intake = judged(release, tmp_path, "over", solved("return x"))
    record(release, result, intake, {"check-london": Hand(1.5)})
    assert marks(release, NAME, "over")["check-london"].score == 1.5
    record(release, result, intake, {})
    assert marks(release, NAME, "over")["check-london"].score == 0.0


def test_marks_given_in_the_formgrader_stay(release: FakeRelease, tmp_path: Path) -> None:
    result, intake = judged(release, tmp_path, "hand", solved("return x"))
    record(release, result, intake)
    with Gradebook(db_url(store.course_dir(release))) as book:
        why = book.find_grade("written-why", NAME, NAME, "hand")
        why.manual_score, why.needs_manual_grade = 0.5, False
        book.find_grade("check-london", NAME, NAME, "hand").manual_score = 1.0
        book.find_comment("written-why", NAME, NAME, "hand").manual_comment = "Go on."
        book.db.commit()
    record(release, result, intake)
    book = marks(release, NAME, "hand")
    assert book["written-why"] == Mark(0.5, 1.0, "Go on.", False) and book["check-london"].score == 1.0


def test_nbgraders_own_feedback_shows_nothing_hidden_and_runs_nothing(release: FakeRelease, tmp_path: Path) -> None:
    evil = "<script>alert(1)</script> [x](javascript:alert(2)) <img src=x onerror=alert(3)> ```` <b>fence</b>"
    result, intake = judged(release, tmp_path, "leak", solved("return x", why=evil))
    html = {"text/html": "<script>alert(4)</script>"}
    result.outputs["answer-london"] = [
        {"output_type": "display_data", "data": html, "metadata": {}},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["File /home/instructor/private/x.py"]},
    ]
    record(release, result, intake)
    course = store.course_dir(release)
    autograded = (course / "autograded" / "leak" / NAME / f"{NAME}.ipynb").read_text()
    assert SECRET in autograded  # the control: there is something to hide
    assert open_api(course).generate_feedback(NAME, "leak")["success"]
    page = (course / "feedback" / "leak" / NAME / f"{NAME}.html").read_text()
    for word in (SECRET, "HIDDEN", "hidden hint", "<script>alert", "<img src=x", 'href="javascript', "private/x.py"):
        assert word not in page, word
    assert "london: add one" in page and 'src="http' not in page


def test_marks_out_of_order_show_nothing_of_a_check() -> None:
    for text in ("a\n### END HIDDEN TESTS\nb", "a\n### BEGIN HIDDEN TESTS\nb"):
        assert "b" not in gradebook.visible_text(text).split()


def test_stored_results_come_back_and_tampering_is_noticed(release: FakeRelease, tmp_path: Path) -> None:
    result, intake = judged(release, tmp_path, "disk", solved())
    course = tmp_path / "course"
    store.save(course, result, intake)
    stored = store.find_stored(course, NAME, "disk", intake.notebook_sha)
    assert stored and stored.result == result and stored.intake == intake
    assert store.find_stored(course, NAME, "disk", "other") is None
    path = store.result_path(course, NAME, "disk")
    data = json.loads(path.read_text())
    data["notebook"]["cells"][2]["source"] = "changed"
    path.write_text(json.dumps(data))
    with pytest.raises(Exception, match="changed after it was written"):
        store.load_stored(path)
    del data["sha256"]  # as version 0.1 wrote it
    path.write_text(json.dumps(data))
    with pytest.raises(Exception, match="not the one that was graded"):
        store.load_stored(path)


def test_zero_point_checks_and_statuses_have_an_output_of_their_own() -> None:
    for status, points in (("passed", 0.0), ("timeout", 2.0), ("dead", 2.0), ("missing", 2.0)):
        earned = points if status == "passed" else 0.0
        assert gradebook.verdict_outputs(Verdict("x", status, earned, points), points)  # type: ignore[arg-type]
