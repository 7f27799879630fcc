"""A backup holds all that cannot be made again; a damaged one, or a folder in use, is refused and nothing is touched."""

from __future__ import annotations

import json
import shutil
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import backup, gradebook, repair, store
from autograder.grading.backup import back_up, restore
from autograder.grading.entering import override_student
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.release.make import CONFIG
from course_utils.errors import CourseError
from tests.autograder.grading.test_marks import both_agree, counted, exported, mark
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, graded_class, hand_in, make_release, solved
from tests.paths import ROOT


@pytest.fixture(scope="module")
def class_of(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two students, marks, a comment and an override, and what a release has beside its course."""
    top = tmp_path_factory.mktemp("class")
    release = graded_class(top)
    (release.root / "release.json").write_text('{"seed": 12345}')
    (release.root / "private" / NAME / "answers.tsv").write_text("who\tRome\n")
    (release.root / "instructor" / "nbgrader_config.py").write_text(CONFIG.format(root="/elsewhere/course"))
    (release.root / "instructor" / "roster.csv").write_text("id\nann\nben\n")
    mark(release, "ann", "written-why", 0.75, "Well put.")  # not taken in yet: the backup does that
    override_student(release, NAME, "ben", "london", 1.5, "the idea is right", "head")
    return top


@pytest.fixture
def graded(class_of: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeRelease:
    monkeypatch.setattr(backup, "load_release", lambda root, **_: FakeRelease(Path(root)))
    shutil.copytree(class_of, tmp_path / "desk")
    return FakeRelease(tmp_path / "desk" / "release")


def saved(release: FakeRelease) -> Path:
    path = release.root.parents[1] / "term.zip"
    back_up(release, path)
    return path


def test_another_machine_has_everything_as_before(graded: FakeRelease, tmp_path: Path) -> None:
    path = saved(graded)
    before, marks = exported(graded), [counted(graded, who) for who in ("ann", "ben")]
    entries = (graded.root / "instructor" / "ledger.jsonl").read_bytes()
    shutil.rmtree(graded.root.parent)
    other = FakeRelease(tmp_path / "other" / "release")
    found = restore(path, other.root, progress=False)
    # what is there is the ledger as it was, and then the entries of making the gradebook again
    assert (other.root / "instructor" / "ledger.jsonl").read_bytes().startswith(entries) and found.entries
    assert exported(other) == before and [counted(other, who) for who in ("ann", "ben")] == marks
    both_agree(other)
    assert gradebook.marks(other, NAME, "ann")["written-why"].comment == "Well put."
    assert (other.root / "instructor" / "autograded" / "ben" / NAME / f"{NAME}.ipynb").exists()
    assert (other.root / "private" / NAME / "answers.tsv").read_text() == "who\tRome\n"
    assert (other.root / "instructor" / "roster.csv").exists()
    assert repr(str(ROOT)) in (other.root / "instructor" / "nbgrader_config.py").read_text()
    modes = [stat.S_IMODE((other.root / part).stat().st_mode) for part in ("private", "release.json")]
    assert modes == [0o700, 0o600] and store.open_ledger(other).verify()


def test_only_its_owner_can_read_it_and_it_has_no_copies(graded: FakeRelease) -> None:
    path = saved(graded)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    names = zipfile.ZipFile(path).namelist()
    assert {"instructor/ledger.jsonl", "private/ledger-copy.jsonl", "release.json", "instructor/gradebook.db"} <= set(
        names
    )
    assert not [one for one in names if "autograded" in one or "submitted" in one or ".lock" in one or ".kept" in one]
    assert [one.name for one in path.parent.iterdir() if "term" in one.name] == ["term.zip"]


def test_nothing_is_overwritten_without_being_told(graded: FakeRelease) -> None:
    path = saved(graded)
    first = path.read_bytes()
    with pytest.raises(CourseError, match="--overwrite"):
        back_up(graded, path)
    with pytest.raises(CourseError, match="--overwrite"):
        restore(path, graded.root, progress=False)
    assert path.read_bytes() == first
    back_up(graded, path, overwrite=True)
    before = exported(graded)
    mark(graded, "ann", "written-why", 0.0)
    restore(path, graded.root, overwrite=True, progress=False)
    assert exported(graded) == before and (graded.root.parent / "release.before-1" / "release.json").exists()


def damaged(path: Path, how: str) -> None:
    """Write the archive again, with one harm done."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    about = json.loads(parts[backup.MANIFEST])
    ledger, result = "instructor/ledger.jsonl", f"instructor/results/{NAME}/ben.json"
    if how == "a part is missing":
        del parts[result]
    elif how == "a part is changed":
        parts[result] = parts[result].replace(b'"points": 0.0', b'"points": 2.0')
    elif how == "with its hash":
        parts[result] = parts[result].replace(b'"points": 0.0', b'"points": 2.0')
        about["files"][result] = backup.hashlib.sha256(parts[result]).hexdigest()
    elif how == "outside":
        parts["../evil"] = b"x"
        about["files"]["../evil"] = backup.hashlib.sha256(b"x").hexdigest()
    elif how == "a shorter ledger":
        for name in (ledger, "private/ledger-copy.jsonl"):
            parts[name] = b"".join(parts[name].splitlines(keepends=True)[:-1])
            about["files"][name] = backup.hashlib.sha256(parts[name]).hexdigest()
        del parts["instructor/gradebook.db"], about["files"]["instructor/gradebook.db"]
    elif how == "a later format":
        about["format"] = 99
    parts[backup.MANIFEST] = json.dumps(about).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    if how == "cut off":
        path.write_bytes(path.read_bytes()[:-200])
    elif how == "no zip":
        path.write_text("hello")


@pytest.mark.parametrize(
    "how",
    ["a part is missing", "a part is changed", "with its hash", "outside", "a shorter ledger", "a later format", "cut off",
     "no zip"],
)  # fmt: skip
def test_a_damaged_backup_is_refused_and_nothing_is_touched(graded: FakeRelease, tmp_path: Path, how: str) -> None:
    path = saved(graded)
    damaged(path, how)
    before = sorted(tmp_path.rglob("*"))
    for folder, more in ((tmp_path / "new", {}), (graded.root, {"overwrite": True})):
        with pytest.raises(CourseError, match=r"use (another|that)"):
            restore(path, folder, progress=False, **more)
    assert sorted(tmp_path.rglob("*")) == before
    assert exported(graded) and repair.changed_marks(graded) == []


def test_what_was_changed_is_not_saved_as_if_it_were_sound(graded: FakeRelease) -> None:
    result = store.result_path(store.course_dir(graded), NAME, "ben")
    result.write_text(result.read_text().replace('"points": 0.0', '"points": 2.0'))
    with pytest.raises(CourseError, match="a backup would keep what was changed"):
        saved(graded)
    assert not list(graded.root.parents[1].glob("*.zip"))


def test_a_full_disk_leaves_the_older_backup(graded: FakeRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(graded)
    first = path.read_bytes()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "write", full)
    with pytest.raises(CourseError, match="make room"):
        back_up(graded, path, overwrite=True)
    assert path.read_bytes() == first and len(list(path.parent.glob(".term*"))) == 0


@pytest.mark.parametrize("who", ["gradebook.db-1", "gradebook.db_x", "x.next", "instructor"])
def test_no_name_of_a_student_keeps_a_result_from_the_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    monkeypatch.setattr(backup, "load_release", lambda root, **_: FakeRelease(Path(root)))
    release = make_release(tmp_path / "desk" / "release")
    for student in ("ann", who):
        hand_in(tmp_path / "subs" / student, solved())
    how = Settings(progress=False, execute=fake_execute)
    assert grade(tmp_path / "subs", release, tmp_path / "out", NAME, how).exit_code == 0
    other = FakeRelease(tmp_path / "other" / "release")
    restore(saved(release), other.root, progress=False)
    assert exported(other) == exported(release)


def test_a_backup_that_would_lack_a_result_is_not_written(graded: FakeRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    real = backup._passing
    monkeypatch.setattr(backup, "_passing", lambda part: real(part) or part.endswith("ann.json"))
    with pytest.raises(CourseError, match="lack this result"):
        saved(graded)
    assert not (graded.root.parents[1] / "term.zip").exists()
