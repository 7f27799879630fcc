"""A term's marking in a real formgrader: mark, override, regrade the class, lose the database, rebuild, export."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import repair, store
from autograder.grading.entering import collect_marks, override_student, rebuild_gradebook
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.release.make import CONFIG
from autograder.release.nbgrader_db import open_book
from autograder.reports.exports import export
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, make_release, solved
from tests.browser.site import jupyter
from tests.browser.watch import chromium, settled, watching
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not chromium(), reason="no chromium here: apt-get install chromium")]

PEOPLE = {"ann": solved(), "ben": solved("return x", "return x + 0.5"), "cat": solved(why="Two words.")}
FIELDS = (
    "#written-why",
    "#written-why_extra_credit",
    "#check-london",
    "#written-why-comment",
    "#answer-london-comment",
)


def run(release: FakeRelease, **more: Any) -> None:
    base = release.root.parent
    how = Settings(**({"progress": False, "execute": fake_execute} | more))
    assert grade(base / "subs", release, base / "out", NAME, how).exit_code == 0


def open_submission(page: Any, address: str, release: FakeRelease, student: str) -> None:
    """The page on which a person marks one student."""
    with open_book(release.root / "instructor") as book:
        key = book.find_submission_notebook(NAME, NAME, student).id
    page.goto(f"{address}/formgrader/submissions/{key}/")
    page.locator("#written-why").wait_for()
    settled(page)


def write(page: Any, field: str, value: str) -> None:
    """Type into a field and leave it, which is how the formgrader saves; wait until the page has its answer.

    The page fills all fields of the cell anew when it has read the answer. What is typed before that is lost.
    """
    kind = "comment" if field.endswith("comment") else "grade"
    page.evaluate("window.saved = new Promise(done => $(document).one('finished_saving', () => done(true))); null")
    with page.expect_response(lambda got: f"/api/{kind}/" in got.url and got.request.method == "PUT") as got:
        page.locator(field).fill(value)
        page.locator(field).blur()  # the browser's own event: one that is made here would be followed by that one later
    assert got.value.ok and page.evaluate("window.saved")
    assert page.locator(field).input_value() == value


def shown(page: Any, address: str, release: FakeRelease) -> dict[str, list[str]]:
    """What stands in the fields of every student."""
    found = {}
    for student in PEOPLE:
        open_submission(page, address, release, student)
        found[student] = [page.locator(field).input_value() for field in FIELDS]
        found[student].append(str(page.locator("input.needs_manual_grade").count()))
    return found


def exported(release: FakeRelease) -> list[dict[str, str]]:
    path = export(release, NAME, "csv", release.root.parent / "grades.csv")
    return list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))


def test_marks_of_a_real_formgrader_outlive_everything(tmp_path: Path) -> None:
    release = make_release(tmp_path / "release")
    course = release.root / "instructor"
    (course / "nbgrader_config.py").write_text(CONFIG.format(root=str(ROOT)))
    for student, filled in PEOPLE.items():
        hand_in(tmp_path / "subs" / student, filled)
    run(release)
    with jupyter(course, tmp_path / "home") as (address, token), watching() as watch:
        page = watch.page
        page.goto(f"{address}/tree?token={token}")
        open_submission(page, address, release, "ann")
        write(page, "#written-why", "0.75")
        write(page, "#written-why-comment", "Well put: $n$ is < 5.")
        open_submission(page, address, release, "ben")
        write(page, "#written-why", "0.5")
        write(page, "#written-why_extra_credit", "0.25")
        write(page, "#check-london", "1.5")
        write(page, "#answer-london-comment", "The idea is right.")
        entered = shown(page, address, release)
        override_student(release, NAME, "cat", "paris", 2, "a typing error", "head")
        run(release, resume=False)
        before = exported(release)
        assert [(one["student"], one["points"], one["to_mark"]) for one in before] == [
            ("ann", "5.75", "0"), ("ben", "3.75", "0"), ("cat", "4", "1"),
        ]  # fmt: skip
        assert shown(page, address, release) == entered
    for left in course.glob("gradebook.db*"):
        left.unlink()
    assert rebuild_gradebook(release, progress=False)
    assert exported(release) == before and repair.changed_marks(release) == []
    with jupyter(course, tmp_path / "home") as (address, token), watching() as watch:
        watch.page.goto(f"{address}/tree?token={token}")
        assert shown(watch.page, address, release) == entered
        watch.page.screenshot(path=tmp_path / "formgrader.png", full_page=True)
    assert collect_marks(release, "me").entries == []
    kinds = [(e.data["student"], e.data["cell"]) for e in store.open_ledger(release) if e.kind == "mark"]
    assert sorted(kinds) == [
        ("ann", "written-why"), ("ben", "answer-london"), ("ben", "check-london"), ("ben", "written-why"),
    ]  # fmt: skip
