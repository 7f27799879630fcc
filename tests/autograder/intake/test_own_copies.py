"""What the grader wrote is no hand-in: its copies in ``submitted/`` change no attempt and no time, its folders are refused."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.grading import pipeline
from autograder.grading.copies import TABLE
from autograder.grading.store import copy_path, open_ledger
from autograder.intake.own import KEY, UNSIGNED, Judged, Mark, cells_hash, copied, mark_of, marked, time_text
from autograder.release import read
from autograder.reports.roll import StudentRow, read_roll
from autograder.reports.times import enter_times
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, make_release, solved

DUE = datetime.now(UTC) - timedelta(days=1)
SECRET = b"of this release"


class Desk:
    """A release whose assignment was due yesterday, and the commands; the judge is the fake one."""

    def __init__(self, top: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.top, self.capsys = top, capsys
        self.release = make_release(top / "release")
        self.release.assignments, self.release.term = [NAME], "T"  # type: ignore[attr-defined]
        self.course, self.submitted = top / "release" / "instructor", top / "release" / "instructor" / "submitted"
        text = f'zone = "UTC"\n[late]\nkeep = [[48, 0.5]]\n[due]\n"{NAME}" = {DUE.isoformat(timespec="seconds")}\n'
        (self.course / "term.toml").write_text(text)

    def run(self, *args: Any) -> tuple[int, str]:
        self.capsys.readouterr()
        code = cli.main([str(arg) for arg in (*args, "--release", self.top / "release", "--out", self.top / "out")])
        return code, "".join(self.capsys.readouterr())

    def run_backup(self, path: Path) -> tuple[int, str]:
        self.capsys.readouterr()
        code = cli.main(["backup", str(path), "--release", str(self.top / "release")])
        return code, "".join(self.capsys.readouterr())

    def run_term(self, *args: Any) -> tuple[int, str]:
        self.capsys.readouterr()
        code = cli.main([str(arg) for arg in ("term", *args, "--release", self.top / "release")])
        return code, "".join(self.capsys.readouterr())

    def grade(self, folder: Path, *args: Any) -> tuple[int, str]:
        return self.run("grade", folder, "--quiet", *args)

    def nbgrader(self, *args: Any) -> tuple[int, str]:
        """The command of docs/teaching.md after ``collect``."""
        return self.grade(self.submitted, "--from", "nbgrader", *args)

    def collected(self, student: str, time: datetime, **answers: str) -> Path:
        """What nbgrader's own ``collect`` leaves, with its time to the microsecond."""
        shutil.rmtree(self.submitted / student / NAME, ignore_errors=True)
        folder = hand_in(self.submitted / student / NAME, solved(**answers))
        (folder / "timestamp.txt").write_text(f"{time:%Y-%m-%d %H:%M:%S}.123456 UTC")
        return folder

    def of(self, student: str) -> StudentRow:
        return next(one for one in read_roll(self.release, NAME).students if one.student == student)

    def stands(self, student: str) -> tuple[Any, ...]:
        one = self.of(student)
        return one.attempts, one.received, one.late, one.final, one.lms_id, one.reason


def unsigned(desk: Desk) -> None:
    """Let the ledger be as of a version that wrote copies without a signature."""
    ledger = open_ledger(desk.release)
    entries = [(one.kind, {key: value for key, value in one.data.items() if key != "copies"}) for one in ledger]
    for path in (ledger.path, copy_path(desk.release)):
        path.unlink()
    with closing(sqlite3.connect(desk.course / "gradebook.db")) as book, book:
        book.execute(f"DROP TABLE {TABLE}")
    for kind, data in entries:
        open_ledger(desk.release).append(kind, **data)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    found = Desk(tmp_path, capsys)
    monkeypatch.setattr(read, "load_release", lambda *_, **__: found.release)
    real = pipeline.grade

    def grade(*given: Any) -> Any:
        return real(*given[:-1], pipeline.replace(given[-1], execute=fake_execute))

    monkeypatch.setattr(pipeline, "grade", grade)
    return found


def test_copies_are_no_new_hand_ins(desk: Desk) -> None:
    """ann came by e-mail, ben by nbgrader's collect; the command of the docs afterwards, as often as one likes."""
    hand_in(desk.top / "mail" / "ann")
    assert desk.grade(desk.top / "mail")[0] == 0
    desk.collected("ben", DUE - timedelta(hours=1), london="return x")
    assert desk.nbgrader()[0] == 0
    before = {who: desk.stands(who) for who in ("ann", "ben")}
    count = len(list(open_ledger(desk.release)))
    assert before["ann"][:4] == (1, "", "", 5) and before["ben"][0] == 1 and not before["ben"][2]
    copy = shutil.copytree(desk.submitted, desk.top / "elsewhere" / "submitted")
    for folder, args in (
        (desk.submitted, ("--from", "nbgrader")),
        (desk.submitted, ()),
        (copy, ()),
        (copy, ("--from", "folders")),
    ):
        code, said = desk.grade(folder, *args)
        assert code == 0 and "came earlier" not in said and "by this run nobody" not in said
        assert {who: desk.stands(who) for who in ("ann", "ben")} == before
    assert len(list(open_ledger(desk.release))) == count


def test_copies_are_known_after_a_merge_that_was_undone(desk: Desk) -> None:
    """Each of the two has the own hand-ins again, and their files."""
    hand_in(desk.top / "mail" / "ann")
    (hand_in(desk.top / "mail" / "ben", solved(london="return x")) / "weights.bin").write_bytes(b"ben's")
    assert desk.grade(desk.top / "mail")[0] == 0
    before = {who: desk.stands(who) for who in ("ann", "ben")}
    merge = ("merge", "ann", "ben", "--reason", "one person", "--by", "me")
    assert desk.run(*merge, "--keep", f"{NAME}=ann")[0] == 0 and desk.run(*merge, "--undo")[0] == 0
    assert desk.nbgrader()[0] == 0 and {who: desk.stands(who) for who in ("ann", "ben")} == before
    assert list((desk.top / "out" / "intake" / NAME / "ben").rglob("weights.bin"))


def test_a_copy_alone_is_known_by_its_mark(desk: Desk) -> None:
    hand_in(desk.top / "mail" / "ann")
    desk.grade(desk.top / "mail")
    before = desk.stands("ann")
    (desk.top / "flat").mkdir()
    shutil.copy(desk.submitted / "ann" / NAME / f"{NAME}.ipynb", desk.top / "flat" / "ann.ipynb")
    assert desk.grade(desk.top / "flat")[0] == 0 and desk.stands("ann") == before
    path = desk.top / "flat" / "ann.ipynb"
    path.write_text(json.dumps({**json.loads(path.read_text()), **{"cells": solved("return x")["cells"]}}))
    desk.grade(desk.top / "flat")
    assert desk.stands("ann")[0] == 2, "a copy that was changed is another hand-in"


def test_a_mark_of_nobody_in_the_ledger_means_nothing(desk: Desk) -> None:
    """A mark that a student invents, a copy of another student, and one of another release are judged like any work."""
    hand_in(desk.top / "a" / "ann")
    desk.grade(desk.top / "a")
    copy = json.loads((desk.submitted / "ann" / NAME / f"{NAME}.ipynb").read_text())
    assert set(copy["metadata"][KEY]) == {"copy_of", "signature"}
    for who, mark in (("ben", copy["metadata"][KEY]), ("cat", {"copy_of": "0" * 64}), ("dan", "x")):
        hand_in(desk.top / "b" / who, {**copy, "metadata": {**copy["metadata"], KEY: mark}})
    assert desk.grade(desk.top / "b")[0] == 0
    assert all(desk.stands(who)[0] == 1 for who in ("ben", "cat", "dan"))


def test_again_judges_the_hand_in_that_the_copy_is_of(desk: Desk) -> None:
    """Its files, its platform's number and its time stay; where the files are gone nothing is judged without them."""
    path = desk.top / "canvas" / f"annlee_11_100_{NAME}.zip"
    shutil.make_archive(str(path.with_suffix("")), "zip", hand_in(desk.top / "in"))
    (desk.top / "r.csv").write_text("id,canvas_id\nann,11\n")
    assert desk.grade(desk.top / "canvas", "--roster", desk.top / "r.csv")[0] == 0
    enter_times(desk.release, NAME, {"ann": (DUE - timedelta(hours=1)).isoformat(timespec="seconds")}, "me", "t.csv")
    before, count = desk.stands("ann"), len(list(open_ledger(desk.release)))
    assert before[1] and not before[2] and before[4] == "11"
    assert desk.nbgrader("--again")[0] == 0
    assert desk.stands("ann") == before and len(list(open_ledger(desk.release))) > count
    shutil.rmtree(desk.top / "out" / "intake")
    code, said = desk.nbgrader("--again")
    assert code == 0 and "ann: in these submissions is the grader's own copy" in said and desk.stands("ann") == before


def test_a_copy_takes_no_refusal_back(desk: Desk) -> None:
    hand_in(desk.top / "mail" / "ann")
    desk.grade(desk.top / "mail")
    (desk.top / "bad" / "ann").mkdir(parents=True)
    (desk.top / "bad" / "ann" / "notes.txt").write_text("x")
    code, said = desk.grade(desk.top / "bad", "--from", "folders")
    assert code == 1 and "ann: not graded (refused): no notebook in the hand-in" in said, "the id stands there once"
    refused = desk.of("ann").reason
    assert refused and desk.nbgrader()[0] == 0 and desk.of("ann").reason == refused
    desk.grade(desk.top / "mail")
    assert not desk.of("ann").reason


def test_the_same_work_again_is_no_attempt_and_other_work_is_one(desk: Desk) -> None:
    """The time beside the notebook is nbgrader's, not a file of the student."""
    desk.collected("ben", DUE - timedelta(hours=2))
    desk.nbgrader()
    before = desk.stands("ben")
    desk.collected("ben", DUE + timedelta(hours=2))
    code, said = desk.nbgrader()
    assert code == 0 and desk.stands("ben") == before and "late" not in said
    desk.collected("ben", DUE + timedelta(hours=2), london="return x")
    code, said = desk.nbgrader()
    assert "late: 1; by this run: ben (2 h; 50 % count)" in said and desk.stands("ben")[0] == 2
    folder = desk.submitted / "ben" / NAME
    (folder / "added.txt").write_text("a file that a person put beside the grader's copy")
    assert desk.nbgrader()[0] == 0 and desk.stands("ben")[0] == 3


@pytest.mark.parametrize(
    ("where", "args", "words"),
    [
        ("release", (), "holds a release"),
        ("release/instructor/autograded", (), "is a folder of the grader's own"),
        ("release/instructor/results", ("--from", "folders"), "is a folder of the grader's own"),
        ("release/instructor", ("--from", "folders"), "is a folder of the grader's own"),
        ("release/instructor/submitted", ("--from", "folders"), "grade it with --from nbgrader"),
        ("release/instructor/submitted/ann", ("--from", "folders"), "is one student's folder of this release"),
        (f"release/instructor/submitted/ann/{NAME}", (), "is one student's folder of this release"),
        (f"out/intake/{NAME}", (), "is a folder of the grader's own"),
        (".", (), "holds a release"),
    ],
)
def test_folders_of_the_grader_are_refused_at_once(desk: Desk, where: str, args: tuple[str, ...], words: str) -> None:
    hand_in(desk.top / "mail" / "ann")
    desk.grade(desk.top / "mail")
    count = len(list(open_ledger(desk.release)))
    code, said = desk.grade(desk.top / where, *args)
    assert code == 2 and words in said and len(list(open_ledger(desk.release))) == count


def test_a_file_of_the_wrong_folder_is_named_with_its_remedy(desk: Desk) -> None:
    (desk.top / "a wrong one").mkdir()
    (desk.top / "a wrong one" / "notes.txt").write_text("x")
    code, said = desk.grade(desk.top / "a wrong one")
    command = next(line.partition("autograder ")[2] for line in said.splitlines() if "autograder remove" in line)
    assert code == 1 and f"remove '{desk.top / 'a wrong one'}' --release" in command
    assert FakeRelease(desk.top / "release").root.is_dir() and desk.run("term", "status")[0] == 0


def test_the_time_beside_a_copy_is_one_that_a_platform_gave(desk: Desk, tmp_path: Path) -> None:
    """Another release that is given the copies must not take the time of grading for the time of the hand-in."""
    hand_in(desk.top / "mail" / "ann")
    desk.grade(desk.top / "mail")
    desk.collected("ben", DUE - timedelta(hours=1))
    desk.nbgrader()
    assert not (desk.submitted / "ann" / NAME / "timestamp.txt").exists()
    assert (desk.submitted / "ben" / NAME / "timestamp.txt").read_text().startswith(f"{DUE - timedelta(hours=1):%F %T}")


def test_of_two_hand_ins_that_a_copy_may_be_of_it_is_the_one_that_stands(tmp_path: Path) -> None:
    """In a release of before, what was taken for a new hand-in has the cells and the time of the first."""
    both = {sha: Judged("cells", frozenset({sha, "a time"}), unsigned=True) for sha in ("first", "second")}
    for mark, stands, found in (
        ("a time", "second", "second"),
        ("a time", "x", "first"),
        ("second", "first", "second"),
    ):
        assert copied(Mark(mark), "cells", tmp_path, both, stands, SECRET) == found
    assert not copied(Mark("a time"), "others", tmp_path, both, "first", SECRET)
    assert not copied(Mark(), "cells", tmp_path, both, "first", SECRET)
    (tmp_path / "a file").touch()
    assert not copied(Mark("a time"), "cells", tmp_path, both, "first", SECRET)


def test_a_copy_is_known_by_its_own_cells_however_a_second_rebuild_reads_them(tmp_path: Path) -> None:
    book: dict[str, Any] = {"cells": [{"cell_type": "code", "source": ["a\n", "b"]}], "metadata": {"x": 1}}
    data = json.dumps(marked(book, "hand-in", SECRET)).encode()
    mark = mark_of(data, Path("nowhere"))
    judged = {"hand-in": Judged("hash of the first rebuild", frozenset({"hand-in"}))}
    assert copied(mark, "hash of the second", tmp_path, judged, "hand-in", SECRET) == "hand-in"
    assert not copied(mark, "hash of the second", tmp_path, judged, "hand-in", b"of another release")
    assert not copied(mark, "hash of the second", tmp_path, {"other": judged["hand-in"]}, "other", SECRET)
    changed = json.loads(data)
    changed["cells"][0]["source"] = "another answer"
    mark = mark_of(json.dumps(changed).encode(), Path("nowhere"))
    assert mark.of == "hand-in" and copied(mark, "hash of the second", tmp_path, judged, "hand-in", SECRET) == ""
    for odd in ([None], [{"source": 3}], [{"source": [1, "a"], "cell_type": []}], "text", 7):
        said = {"copy_of": "hand-in", "signature": odd}
        book = {"cells": odd if isinstance(odd, list) else [], "metadata": {"autograder": said}}
        assert mark_of(json.dumps(book).encode(), Path("nowhere")).of == "hand-in"


@pytest.mark.parametrize("signature", ["", "0" * 64, "ä\ud800", None])
def test_a_mark_that_a_student_makes_is_none(desk: Desk, signature: str | None) -> None:
    """All that is in it can be known or guessed but the signature: new work with it is judged, and it is said."""
    hand_in(desk.top / "a" / "ann", solved(london="return x"))
    desk.grade(desk.top / "a")
    (sha,) = [one.data["sha256"] for one in open_ledger(desk.release) if one.kind == "intake"]
    book = solved()
    mark = {"copy_of": sha, "cells": cells_hash(book)} | ({} if signature is None else {"signature": signature})
    folder = hand_in(desk.top / "b" / "ann", {**book, "metadata": {**book["metadata"], KEY: mark}})
    shutil.rmtree(folder / "work")  # a copy has no files
    code, said = desk.grade(desk.top / "b")
    assert code == 0 and desk.stands("ann")[0] == 2 and desk.of("ann").points == 5
    assert UNSIGNED in said and UNSIGNED in desk.of("ann").notes


@pytest.mark.parametrize("kind", ["mark", "mark of other cells", "time"])
def test_copies_without_a_signature_are_known_where_the_ledger_is_of_that_version(desk: Desk, kind: str) -> None:
    """A mark with a hash of its own cells is believed where these are the cells that the grader wrote."""
    hand_in(desk.top / "mail" / "ann")
    desk.grade(desk.top / "mail")
    before, folder = desk.stands("ann"), desk.submitted / "ann" / NAME
    path = folder / f"{NAME}.ipynb"
    copy = json.loads(path.read_text())
    mark = {"copy_of": copy["metadata"][KEY]["copy_of"], "cells": cells_hash(copy)}
    if kind == "mark of other cells":
        copy["cells"].append({**copy["cells"][0], "id": "x", "cell_type": "code", "source": "x = 1", "outputs": []})
        mark["cells"] = cells_hash(copy)
    path.write_text(json.dumps({**copy, "metadata": {KEY: mark} if kind != "time" else {}}))
    if kind == "time":
        (entry,) = [one for one in open_ledger(desk.release) if one.kind == "intake"]
        (folder / "timestamp.txt").write_text(time_text(entry.data["received"]))
    unsigned(desk)
    assert desk.nbgrader()[0] == 0
    assert (desk.stands("ann") == before) == (kind != "mark of other cells")
