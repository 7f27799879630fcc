"""What fails while a lock, a file or a temporary folder is left never replaces the error that is on its way already."""

from __future__ import annotations

import ast
import errno
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from autograder.grading.copies import write_all
from autograder.grading.entering import counts_already
from autograder.grading.gradebook import GradebookError
from autograder.grading.lock import alone
from autograder.grading.progress import Live
from autograder.intake.archive import Limits, Meter, pour
from course_utils.engine.files import first_error, write_atomically
from course_utils.errors import CourseError
from tests.paths import ROOT


def full() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Device(io.FileIO):
    """A file on a full disk: what is written into it or flushed at its end fails."""

    def write(self, _: Any) -> int:
        raise full()


@pytest.mark.parametrize("error", [CourseError("the mark counts"), KeyboardInterrupt(), ValueError("x")])
def test_a_lock_on_a_full_disk_lets_every_error_through(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(path: Path, mode: str = "r", buffering: int = -1, **_: object) -> Any:
        device = Device(path, mode.replace("b", ""))
        return device if buffering == 0 else io.TextIOWrapper(io.BufferedRandom(device))

    with monkeypatch.context() as disk:
        disk.setattr(Path, "open", opened)
        with pytest.raises(type(error)) as told, alone(tmp_path):
            raise error
    assert told.value is error
    with alone(tmp_path):  # and it is free again
        pass


def test_the_first_error_stays_and_a_failing_end_alone_is_told() -> None:
    @contextmanager
    def failing() -> Iterator[str]:
        try:
            yield "held"
        finally:
            raise full()

    with pytest.raises(CourseError, match="the cause"), first_error(failing()) as held:
        assert held == "held"
        raise CourseError("the cause")
    with pytest.raises(OSError, match="No space"), first_error(failing()):
        pass


def test_a_file_too_large_is_told_though_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(path: Path, *_: object, **__: object) -> Any:
        return io.BufferedWriter(Device(path, "w"), 2**20)

    monkeypatch.setattr(Path, "open", opened)
    meter = Meter("ada", Limits())
    monkeypatch.setattr(meter, "check", lambda _, size: None if size < 9 else too_large())
    with pytest.raises(CourseError, match="too large"):
        pour(iter([b"12345678", b"9"]), tmp_path / "a", "a", meter)


def too_large() -> None:
    raise CourseError("too large")


def test_a_file_that_cannot_be_cut_back_hides_no_error() -> None:
    class Broken(io.BytesIO):
        def write(self, _: Any) -> int:
            raise full()

        def truncate(self, _: int | None = None) -> int:
            raise OSError(errno.EIO, "cannot be cut")

    with pytest.raises(OSError, match="No space"):
        write_all(Broken(), b"line")


def test_a_file_aside_that_stays_hides_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(full()))
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(OSError(errno.EROFS, "read only")))
    with pytest.raises(CourseError, match="No space"):
        write_atomically(tmp_path / "a", "text")


def test_a_progress_line_ends_without_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    live = Live("grading", 3, 1, quiet=False)
    monkeypatch.setattr(live.bar, "close", lambda: (_ for _ in ()).throw(full()))
    live.close()


def test_every_temporary_folder_of_grading_and_intake_ends_without_an_error() -> None:
    places = [path for name in ("grading", "intake") for path in (ROOT / "autograder" / name).glob("*.py")]
    calls = [
        (path.name, {word.arg for word in node.keywords})
        for path in places
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("TemporaryDirectory")
    ]
    assert calls
    assert [name for name, words in calls if "ignore_cleanup_errors" not in words] == []


FULL = "make room on the disk"


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (full(), FULL),
        (OSError(errno.EACCES, "Permission denied", "/x/gradebook.db"), "mend that"),
        (CourseError("/x: (No space left on device); make room on the disk, then run the same command again"), FULL),
        (GradebookError("ben: nbgrader could not enter it (database or disk is full; make room on the disk); see /x"), FULL),
        (CourseError("/x: cannot be written (database is locked); close other programs and try again"), "close other programs"),
        (CourseError("ben: the ledger's result is not in /x; grade again"), "grade again"),
        (CourseError("/x: malformed; the file is damaged; python -m autograder ledger rebuild makes it again"), "python"),
        (RuntimeError(), "mend that"),
    ],
)  # fmt: skip
def test_a_mark_that_counts_is_said_to_and_has_one_remedy(error: Exception, remedy: str) -> None:
    words = counts_already(error)
    assert words.startswith("the mark is in the ledger and counts, so do not give it again; ")
    assert f"): {remedy}" in words and words.count("ledger rebuild") == 1
    assert "same command" not in words and "try again" not in words and words.count("make room") <= 1
