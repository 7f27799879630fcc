"""What is said when the disk is full, the gradebook is damaged, or somebody is grading: the cause, and what really helps."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder.cli import main
from autograder.grading import gradebook, repair, store
from autograder.grading.byhand import read_book
from autograder.grading.entering import NEW, override_student, rebuild_gradebook
from autograder.grading.lock import alone
from autograder.release import read
from autograder.reports.roll import read_roll
from course_utils.engine import files
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, FakeRelease, graded_class

UPGRADE = (
    "There was an error accessing the nbgrader database. First BACK UP your database, then run `nbgrader db upgrade`."
)


@pytest.fixture
def graded(tmp_path: Path) -> FakeRelease:
    return graded_class(tmp_path)


def test_an_override_on_a_full_disk_says_where_it_is_and_what_brings_it_on(
    graded: FakeRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = (
        f"Traceback\nsqlalchemy.exc.OperationalError: (sqlite3.OperationalError) database or disk is full\n{UPGRADE}\n"
    )
    full = SimpleNamespace(autograde=lambda *_, **__: {"success": False, "log": log})
    with monkeypatch.context() as disk:
        disk.setattr(gradebook, "open_api", lambda *_: full)
        with pytest.raises(CourseError) as told:
            override_student(graded, NAME, "ben", "london", 1.5, "half right", "T")
    assert "the mark is in the ledger and counts" in str(told.value) and "ledger rebuild" in str(told.value)
    assert "disk is full" in str(told.value) and "upgrade" not in str(told.value)
    assert next(one for one in read_roll(graded, NAME).students if one.student == "ben").points == 3.0
    (sentence,) = repair.changed_marks(graded)
    assert "ledger rebuild" in sentence and "formgrader" not in sentence
    rebuild_gradebook(graded, progress=False)
    assert repair.changed_marks(graded) == []


def test_a_damaged_gradebook_is_made_again(graded: FakeRelease) -> None:
    override_student(graded, NAME, "ben", "london", 1.5, "half right", "T")
    book = store.course_dir(graded) / "gradebook.db"
    with sqlite3.connect(book) as base:
        (page,) = base.execute("SELECT rootpage FROM sqlite_master WHERE name = 'grade'").fetchone()
        (size,) = base.execute("PRAGMA page_size").fetchone()
    data = bytearray(book.read_bytes())
    data[(page - 1) * size : page * size] = b"\xff" * size
    book.write_bytes(data)
    with pytest.raises(CourseError, match=r"malformed.*ledger rebuild") as told:
        read_book(book)
    assert "close other programs" not in str(told.value)
    assert rebuild_gradebook(graded, progress=False) == [NEW]
    assert repair.changed_marks(graded) == []


def test_a_full_disk_is_named_wherever_a_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.tempfile, "NamedTemporaryFile", full)
    with pytest.raises(CourseError, match=r"No space left on device.*make room on the disk") as told:
        store.write_atomic(tmp_path / "index.html", "x")
    assert "another" not in str(told.value) and "folder" not in str(told.value)


def test_verify_says_who_is_grading(
    graded: FakeRelease, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "load_release", lambda path, **_: FakeRelease(Path(path)))

    def verify() -> int:
        return main(["ledger", "verify", "--release", str(graded.root)])

    with alone(store.course_dir(graded)):
        assert verify() != 0
    said = capsys.readouterr().err
    assert "is grading in" in said and "wait for it to end, or give --wait" in said
