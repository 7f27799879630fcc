"""Backups that are damaged or forged, and releases that are hard to save: a sentence each, no traceback, no endless loop."""

from __future__ import annotations

import json
import os
import random
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import backup
from autograder.grading.backup import back_up, restore
from autograder.grading.ledger import START, Entry, digest, written
from autograder.grading.lock import alone
from autograder.grading.store import course_dir
from course_utils.errors import CourseError
from tests.autograder.grading.test_marks import exported, run
from tests.autograder.tiny_course import NAME, FakeRelease, hand_in, make_release

Parts = dict[str, bytes]
Lines = list[dict[str, Any]]
LEDGERS = ("instructor/ledger.jsonl", "private/ledger-copy.jsonl")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> FakeRelease:
    top = tmp_path_factory.mktemp("forged")
    release = make_release(top / "desk" / "release")
    (release.root / "release.json").write_text('{"seed": 12345}')
    for student in ("ann", "ben"):
        hand_in(top / "desk" / "subs" / student)
    run(release)
    back_up(release, top / "term.zip")
    return release


@pytest.fixture
def saved(graded: FakeRelease, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(backup, "load_release", lambda root, **_: FakeRelease(Path(root)))
    return graded.root.parents[1] / "term.zip"


def forged(path: Path, target: Path, change: Callable[[Parts, dict[str, Any]], Any], kind: int = 0) -> Path:
    """A backup with other parts and right hashes; what ``change`` returns is written in place of the list of files."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    about = json.loads(parts.pop(backup.MANIFEST))
    raw = change(parts, about)
    about["files"] = {name: backup.hashlib.sha256(data).hexdigest() for name, data in parts.items()}
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in parts.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (kind if name == "instructor/notes" else stat.S_IFREG | 0o600) << 16
            archive.writestr(info, data)
        archive.writestr(backup.MANIFEST, json.dumps(about) if raw is None else raw)
    return target


def refused(path: Path, folder: Path, **more: Any) -> str:
    with pytest.raises(CourseError) as error:
        restore(path, folder, progress=False, **more)
    assert not folder.exists() or more, "nothing is left of it"
    return str(error.value)


def test_any_bit_flipped_and_any_end_cut_off_is_a_sentence(saved: Path, tmp_path: Path) -> None:
    rng, whole, same = random.Random(3), saved.read_bytes(), 0
    for number in range(300):
        data = bytearray(whole)
        if number % 2:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        else:
            del data[rng.randrange(len(data)) :]
        (tmp_path / "x.zip").write_bytes(data)
        try:
            backup._read(tmp_path / "x.zip")
        except CourseError:
            continue
        same += 1  # a bit of a date or of the system's name
    assert same < 30


@pytest.mark.parametrize("raw", ["7", '"x"', "[1]", "[" * 200_000, "{}", '{"format": 1, "files": 3}', "\x00"])
def test_a_list_of_files_that_is_none(saved: Path, tmp_path: Path, raw: str) -> None:
    path = forged(saved, tmp_path / "x.zip", lambda *_: raw)
    assert "not a backup, or a damaged one" in refused(path, tmp_path / "new")


def test_a_part_with_a_password_and_a_file_that_is_none(saved: Path, tmp_path: Path) -> None:
    data = bytearray(saved.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "x.zip").write_bytes(data)
    assert "protected by a password" in refused(tmp_path / "x.zip", tmp_path / "new")
    os.mkfifo(tmp_path / "pipe")
    assert "not a file" in refused(tmp_path / "pipe", tmp_path / "new")


@pytest.mark.parametrize(
    "name",
    ["instructor/", "a//b", "./x", "release.json/x", "x" * 300, "a\n\x1b[2J", ".git/hooks/post-checkout",
     "instructor/.grading.lock", "instructor/gradebook.db-wal", "instructor/autograded/ann/evil.html",
     "grading/report/index.html", f"instructor/results/{NAME}/ben.json.next"],
)  # fmt: skip
def test_a_part_that_no_backup_has(saved: Path, tmp_path: Path, name: str) -> None:
    path = forged(saved, tmp_path / "x.zip", lambda parts, _: parts.update({name: b"x"}))
    assert "is no file that a backup holds" in refused(path, tmp_path / "new")


def test_a_link_and_another_release(saved: Path, tmp_path: Path) -> None:
    link = forged(saved, tmp_path / "x.zip", lambda p, _: p.update({"instructor/notes": b"/etc/passwd"}), stat.S_IFLNK)
    assert "is no file that a backup holds" in refused(link, tmp_path / "new")
    other = forged(saved, tmp_path / "y.zip", lambda _, about: about.update(release="r2"))
    assert "release.json is of r1" in refused(other, tmp_path / "new")


def chained(parts: Parts, about: dict[str, Any], change: Callable[[Lines], None]) -> None:
    """Change the ledger and give it a sound chain of hashes; the gradebook with its note of the end is left out."""
    lines = [json.loads(line) for line in parts[LEDGERS[0]].splitlines()]
    change(lines)
    prev, out = START, []
    for number, line in enumerate(lines, start=1):
        line.update(n=number, prev=prev, hash=digest(number, line["time"], line["kind"], line["data"], prev))
        prev = line["hash"]
        out.append(written(Entry(**line)) + b"\n")
    parts.update(dict.fromkeys(LEDGERS, b"".join(out)))
    about.update(entries=len(out), head=prev)
    del parts["instructor/gradebook.db"]


def added(kind: str, **data: Any) -> Callable[[Lines], None]:
    return lambda lines: lines.append({**lines[-1], "kind": kind, "data": data})


def renamed(key: str, value: str) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        for line in lines:
            if key in line["data"]:
                line["data"][key] = value

    return change


def circle(lines: Lines) -> None:
    for one, two in (("ann", "ben"), ("ben", "ann")):
        added("merged", student=one, into=two, keep={}, by="x", reason="y")(lines)


FORGED = {
    "out by the student": (renamed("student", "../../../out"), "is no name"),
    "out by the assignment": (renamed("assignment", "../../.."), "is no name"),
    "into itself": (added("merged", student="ann", into="ann", keep={}), "merged into itself"),
    "in a circle": (circle, "merged into itself"),
    "half an entry": (added("override", assignment=NAME, student="ann"), "no entry that a command wrote"),
    "endless points": (
        added("override", assignment=NAME, student="ann", exercise="london", points=float("inf"), by="x", reason="y"),
        "inf points",
    ),
    "of a later version": (added("bonus", student="ann"), "no kind of entry of this version"),
    "no text": (added("removed", student=7, assignment=NAME), "no entry that a command wrote"),
}


@pytest.mark.parametrize("how", FORGED)
def test_a_ledger_that_no_command_wrote(saved: Path, tmp_path: Path, how: str) -> None:
    change, words = FORGED[how]
    path = forged(saved, tmp_path / "x.zip", lambda parts, about: chained(parts, about, change))
    said = refused(path, tmp_path / "new")
    assert words in said and "does not agree with itself" in said and "use another one" in said
    assert not list(tmp_path.rglob("*out*"))


def test_the_control_is_restored(saved: Path, tmp_path: Path) -> None:
    """Without a forged entry the same way of writing a backup is taken, its gradebook made again."""
    path = forged(saved, tmp_path / "x.zip", lambda parts, about: chained(parts, about, lambda _: None))
    assert restore(path, tmp_path / "new", progress=False).entries
    assert (tmp_path / "new" / "instructor" / "gradebook.db").exists()


def test_nobody_is_restored_away_while_grading(graded: FakeRelease, saved: Path) -> None:
    with alone(course_dir(graded)):
        assert "is grading in" in refused(saved, graded.root, overwrite=True)
    assert exported(graded) and len(list(graded.root.parent.glob("release*"))) == 1


def test_a_backup_does_not_lie_in_the_release_and_is_no_folder(graded: FakeRelease, tmp_path: Path) -> None:
    for target in (graded.root / "term.zip", graded.root / "grading" / "x" / "term.zip"):
        with pytest.raises(CourseError, match="lies in the release"):
            back_up(graded, target)
    (tmp_path / "folder").mkdir()
    with pytest.raises(CourseError, match="is there already"):
        back_up(graded, tmp_path / "folder", overwrite=True)


def test_old_dates_odd_names_and_links_in_a_release(graded: FakeRelease, saved: Path, tmp_path: Path) -> None:
    notes = graded.root / "instructor" / "notes.txt"
    notes.write_text("old")
    os.utime(notes, (0, 0))
    files = graded.root / "grading" / "intake" / NAME / "ann" / "files"
    files.mkdir(parents=True, exist_ok=True)
    odd = [Path(os.fsdecode(os.fsencode(files) + name)) for name in (b"/caf\xe9", b"/a\\b", b"/a\x1b[2J")]
    for path in odd:
        path.write_text("x")
    found = back_up(graded, tmp_path / "term.zip", handed_in=True)
    assert len(found.left_out) == 3 and all(name.isprintable() for name in found.left_out)
    restore(tmp_path / "term.zip", tmp_path / "new", progress=False)
    assert (tmp_path / "new" / "instructor" / "notes.txt").read_text() == "old"
    for path in odd:
        path.unlink()
    notes.rename(notes.with_name("a\\b"))
    with pytest.raises(CourseError, match="a zip cannot hold this name"):
        back_up(graded, tmp_path / "other.zip")
    notes.with_name("a\\b").unlink()
    notes.symlink_to("/etc/passwd")
    with pytest.raises(CourseError, match="a link or a device"):
        back_up(graded, tmp_path / "other.zip")
    notes.unlink()
    assert not (tmp_path / "other.zip").exists() and not list(tmp_path.glob(".other*"))
