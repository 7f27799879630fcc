"""``submitted/`` is an inbox, too: what nbgrader collected there waits for ``grade``, whatever command comes before."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.cli.grading import NO_ZEROS_WAITING
from autograder.grading import backup as saved
from autograder.grading import regrade as again
from autograder.grading.inbox import ENTERING, unread
from autograder.grading.store import open_ledger
from tests.autograder.intake.test_own_copies import DUE, Desk, desk
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, solved

__all__ = ["desk"]  # the fixture
WAITS = "holds what is not graded yet, and it stays there; to grade it: python -m autograder grade"
BY = ("--reason", "r", "--by", "me")
MERGE = ("merge", "ann", "ben", *BY)


@pytest.fixture
def two(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """ann and ben, collected and graded: 3 points each."""
    real = again.regrade

    def regrade(*given: Any) -> Any:
        settings = again.replace(given[3], execute=fake_execute)
        return real(*given[:3], settings, *given[4:])

    monkeypatch.setattr(again, "regrade", regrade)
    for who in ("ann", "ben"):
        desk.collected(who, DUE - timedelta(hours=4), london="return x", why=f"I am {who}.")
    assert desk.nbgrader()[0] == 0 and waiting(desk) == []
    return desk


def newer(desk: Desk, who: str) -> dict[str, bytes]:
    """What ``nbgrader collect --update`` puts there; its files by name."""
    return files(desk.collected(who, DUE - timedelta(hours=1), why=f"I am {who}."))


def files(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def waiting(desk: Desk) -> list[str]:
    return [who for who in ("ann", "ben") if unread(desk.release, NAME, who)]


def points(desk: Desk) -> dict[str, float]:
    return {who: desk.of(who).points for who in ("ann", "ben")}


@pytest.mark.parametrize(
    ("command", "after"),
    [
        (("override", "ann", "paris", "0.5", *BY), 2.5),
        (("ledger", "rebuild"), 5),
        (("regrade", "--all", "--apply", *BY), 5),
        (("remove", "ann", *BY), 5),
        (("marks",), 5),
        (("report",), 5),
        (("ledger", "verify"), 5),
    ],
    ids=lambda one: one[0] if isinstance(one, tuple) else "",
)
def test_what_was_collected_waits_for_grade(two: Desk, command: tuple[str, ...], after: float) -> None:
    """It stays byte for byte, the command says so if it would have put the copy there, and then it is graded."""
    was = newer(two, "ann")
    code, said = two.run(*command)
    assert code == 0 and files(two.submitted / "ann" / NAME) == was and waiting(two) == ["ann"]
    assert said.count(WAITS) == (0 if command[0] in ("marks", "report") or command[-1] == "verify" else 1), said
    assert two.nbgrader()[0] == 0
    assert points(two) == {"ann": after, "ben": 3} and waiting(two) == []
    count = len(list(open_ledger(two.release)))
    assert two.nbgrader()[0] == 0 and len(list(open_ledger(two.release))) == count, "the copy is there again"
    assert not (two.course / ENTERING).exists() or not any((two.course / ENTERING).iterdir())


def test_what_comes_while_another_hand_in_is_judged_waits(two: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from autograder.grading.pipeline import GradingRun

    newer(two, "ann")
    replay = GradingRun.replay

    def late(self: GradingRun) -> Any:
        two.collected("ann", DUE - timedelta(minutes=5), london="return x", paris="return x")
        return replay(self)

    monkeypatch.setattr(GradingRun, "replay", late)
    code, said = two.nbgrader()
    assert code == 0 and WAITS in said and points(two)["ann"] == 5 and waiting(two) == ["ann"]
    monkeypatch.undo()


@pytest.mark.parametrize("whose", ["ann", "ben"])
def test_what_waits_for_one_of_two_ids_is_graded_for_the_person(two: Desk, whose: str) -> None:
    was = newer(two, whose)
    code, said = two.run(*MERGE, "--keep", f"{NAME}=ann")
    assert code == 0 and WAITS in said and files(two.submitted / whose / NAME) == was
    code, said = two.nbgrader()
    assert code == 0 and two.of("ann").points == 5, said
    count = len(list(open_ledger(two.release)))
    code, said = two.nbgrader()
    assert code == 0 and "two people" not in said and len(list(open_ledger(two.release))) == count


def test_what_waits_for_both_ids_is_named(two: Desk) -> None:
    was = newer(two, "ann"), newer(two, "ben")
    assert two.run(*MERGE, "--keep", f"{NAME}=ann")[0] == 0
    code, said = two.nbgrader()
    assert code == 1 and "ann and ben are one person; keep the one that counts" in said
    assert was == tuple(files(two.submitted / who / NAME) for who in ("ann", "ben"))


@pytest.mark.parametrize("when", ["before", "during"])
@pytest.mark.parametrize("keep", ["ann", "ben"])
def test_what_waits_is_graded_after_a_merge_that_was_undone(two: Desk, when: str, keep: str) -> None:
    merge = (*MERGE, "--keep", f"{NAME}={keep}")
    if when == "before":
        newer(two, "ben")
        assert two.run(*merge)[0] == 0
    else:
        assert two.run(*merge)[0] == 0
        newer(two, "ben")
    code, said = two.run(*MERGE, "--undo")
    assert code == 0 and said.count(WAITS) == 1
    assert two.nbgrader()[0] == 0 and points(two) == {"ann": 3, "ben": 5} and waiting(two) == []


def test_a_file_that_cannot_be_read_is_refused_again_after_a_merge(two: Desk) -> None:
    shutil.rmtree(two.submitted / "ben" / NAME)
    (two.submitted / "ben" / NAME).mkdir()
    (two.submitted / "ben" / NAME / f"{NAME}.ipynb").write_text("{")
    assert two.nbgrader()[0] == 1
    assert two.run(*MERGE, "--keep", f"{NAME}=ann")[0] == 0 and two.run(*MERGE, "--undo")[0] == 0
    code, said = two.nbgrader()
    assert code == 1 and "ben: not graded (refused)" in said


def _link(folder: Path) -> None:
    shutil.move(folder, folder.parents[3] / "linked")
    folder.symlink_to(folder.parents[3] / "linked")


@pytest.mark.parametrize(
    ("change", "stays"),
    [
        (lambda folder: None, False),
        (lambda folder: (folder / f"{NAME}.ipynb").unlink(), False),
        (lambda folder: (folder / "weights.bin").write_bytes(b"x"), True),
        (lambda folder: (folder / f"{NAME}.ipynb").write_text("{"), True),
        (lambda folder: (folder / ".ipynb_checkpoints").mkdir(), False),
        (_link, True),
    ],
    ids=["copy", "time alone", "file beside it", "broken", "checkpoints", "link"],
)
def test_only_copies_and_what_the_ledger_has_are_replaced(
    two: Desk, change: Callable[[Path], Any], stays: bool
) -> None:
    folder = two.submitted / "ann" / NAME
    change(folder)
    assert (waiting(two) == ["ann"]) == stays
    was = files(folder)
    assert two.run("ledger", "rebuild")[0] == 0 and (not stays or files(folder) == was)
    assert (folder / f"{NAME}.ipynb").exists() and (waiting(two) == ["ann"]) == stays


def test_earlier_work_that_comes_again_later_waits_and_the_same_file_does_not(two: Desk) -> None:
    newer(two, "ann")
    assert two.nbgrader()[0] == 0 and points(two)["ann"] == 5
    folder = two.collected("ann", DUE - timedelta(hours=4), london="return x", why="I am ann.")
    assert waiting(two) == [], "an old export brings nothing new"
    time = DUE - timedelta(minutes=30)
    (folder / "timestamp.txt").write_text(f"{time:%Y-%m-%d %H:%M:%S} UTC")
    assert waiting(two) == ["ann"]
    assert two.run("ledger", "rebuild")[0] == 0 and waiting(two) == ["ann"]
    assert two.nbgrader()[0] == 0 and points(two)["ann"] == 3


def test_a_copy_of_another_student_waits_and_is_judged(two: Desk) -> None:
    shutil.rmtree(two.submitted / "ben" / NAME)
    shutil.copytree(two.submitted / "ann" / NAME, two.submitted / "ben" / NAME)
    assert waiting(two) == ["ben"] and two.run("ledger", "rebuild")[0] == 0 and waiting(two) == ["ben"]
    hand_in(two.top / "mail" / "ann", solved(why="by mail"))
    assert two.grade(two.top / "mail")[0] == 0 and waiting(two) == ["ben"]


@pytest.mark.parametrize("undo", [False, True])
def test_the_same_work_under_the_other_id_of_a_person_waits(two: Desk, *, undo: bool) -> None:
    """Ben's file is ann's to the byte. It is graded for ben, or, if the merge holds, it is an arrival of ben's."""
    assert two.run(*MERGE, "--keep", f"{NAME}=ann")[0] == 0
    two.collected("ben", DUE - timedelta(hours=1), london="return x", why="I am ann.")
    was = files(two.submitted / "ben" / NAME)
    assert unread(two.release, NAME, "ben")
    code, said = two.run(*MERGE, "--undo") if undo else two.run("ledger", "rebuild")
    assert code == 0 and said.count(WAITS) == undo and files(two.submitted / "ben" / NAME) == was
    code, said = two.nbgrader()
    assert code == 0 and waiting(two) == [], said
    if not undo:
        assert two.run(*MERGE, "--undo")[0] == 0
    assert points(two) == {"ann": 3, "ben": 3} and two.of("ben").attempts == 2


def given(desk: Desk) -> dict[str, str]:
    """Points in the file that was exported last."""
    lines = (desk.top / "g.csv").read_text(encoding="utf-8-sig").splitlines()
    return {row["student"]: row["counts"] for row in csv.DictReader(lines)}


def test_no_zeros_while_work_of_somebody_waits(two: Desk) -> None:
    """Dan's file was collected and not graded. Eve sent nothing, but is not told so before dan's is graded."""
    path = two.top / "list.csv"
    path.write_text("id\nann\nben\ndan\neve\n")
    assert two.run_term("roster", path)[0] == 0
    two.collected("dan", DUE - timedelta(hours=1))
    export = ("export", "--format", "csv", "--zeros", "--partial", "--file", two.top / "g.csv")
    code, said = two.run(*export)
    assert code == 1 and said.count(WAITS) == 1 and NO_ZEROS_WAITING in said
    assert {who for who, counts in given(two).items() if counts} == {"ann", "ben"}
    assert two.nbgrader()[0] == 0
    code, said = two.run(*export)
    assert WAITS not in said and NO_ZEROS_WAITING not in said
    assert float(given(two)["eve"]) == 0 and float(given(two)["dan"]) == 5


def test_a_backup_names_what_waits_outside_of_it(two: Desk) -> None:
    path = two.top / "release" / "release.json"
    path.write_text('{"seed": 12345}')
    outside = "this is not in the backup"
    code, said = two.run_backup(two.top / "one.zip")
    assert code == 0 and outside not in said and WAITS not in said
    newer(two, "ben")
    code, said = two.run_backup(two.top / "two.zip")
    assert code == 0 and said.count(WAITS) == 1 and outside in said


@pytest.mark.parametrize("folder", ["dan@uni.example", "Dan Doe", "DAN", "elsewhere", "ben"])
def test_no_zeros_whatever_the_folder_is_called(two: Desk, folder: str) -> None:
    """Dan's folder is named by e-mail, name, in capitals, by an id off the list, or by one that was merged into dan."""
    path = two.top / "list.csv"
    path.write_text("id,name,email\nann,,\nben,,\ndan,Dan Doe,dan@uni.example\neve,,\n")
    assert two.run_term("roster", path)[0] == 0
    if folder == "ben":
        assert two.run("merge", "dan", "ben", *BY)[0] == 0 and two.run("remove", "dan", *BY)[0] == 0
    two.collected(folder, DUE - timedelta(minutes=30))
    export = ("export", "--format", "csv", "--zeros", "--partial", "--file", two.top / "g.csv")
    code, said = two.run(*export)
    assert code == 1 and NO_ZEROS_WAITING in said and said.count(WAITS) == 1 and "0" not in given(two).values()
    code, said = two.nbgrader("--roster", path)
    assert code == (1 if folder == "elsewhere" else 0), said
    if folder != "elsewhere":
        assert two.run_backup(two.top / "b.zip")[1].count(WAITS) == 0
        assert two.run(*export)[0] == 0 and given(two)["dan"] == "5" and given(two)["eve"] == "0"


def test_a_folder_by_name_and_the_graders_copy_are_of_one_student(two: Desk) -> None:
    """Only a new file in either counts, and new ones in both are refused."""
    path = two.top / "list.csv"
    path.write_text("id,name,email\nann,,\nben,,\ndan,Dan Doe,dan@uni.example\n")
    two.collected("dan@uni.example", DUE - timedelta(hours=3))
    assert two.nbgrader("--roster", path)[0] == 0 and two.of("dan").points == 5
    count = len(list(open_ledger(two.release)))
    for _ in range(2):
        code, said = two.nbgrader("--roster", path)
        assert code == 0 and len(list(open_ledger(two.release))) == count, said
    two.collected("dan@uni.example", DUE - timedelta(hours=2), london="return x")
    assert two.nbgrader("--roster", path)[0] == 0 and two.of("dan").points == 3 and waiting(two) == []
    two.collected("dan", DUE - timedelta(hours=1), paris="return x")
    code, said = two.nbgrader("--roster", path)
    assert code == 0 and two.of("dan").points == 2, said
    for folder in ("dan", "dan@uni.example"):
        two.collected(folder, DUE - timedelta(minutes=5), why=f"new in {folder}")
    code, said = two.nbgrader("--roster", path)
    assert code == 1 and "and so would" in said and two.of("dan").points == 2


def test_what_comes_after_a_hand_in_without_a_time_was_seen_is_later(two: Desk) -> None:
    """The first work, by mail another one, and the first again, collected after the other was graded."""
    hand_in(two.top / "mail" / "ann", solved(why="by mail"))
    assert two.grade(two.top / "mail")[0] == 0 and two.of("ann").points == 5
    two.collected("ann", DUE - timedelta(hours=4), london="return x", why="I am ann.")
    assert waiting(two) == [], "of before that the platform's clock says nothing"
    folder = two.submitted / "ann" / NAME
    (folder / "timestamp.txt").write_text(f"{datetime.now(UTC) + timedelta(seconds=5):%Y-%m-%d %H:%M:%S} UTC")
    assert waiting(two) == ["ann"] and two.run("ledger", "rebuild")[0] == 0 and waiting(two) == ["ann"]
    assert two.nbgrader()[0] == 0 and two.of("ann").points == 3


def test_a_term_is_not_closed_and_not_replaced_in_silence_while_something_waits(
    two: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved, "load_release", lambda root, **_: FakeRelease(Path(root)))
    path = two.top / "release" / "release.json"
    path.write_text('{"seed": 12345}')
    assert two.run_backup(two.top / "one.zip")[0] == 0
    newer(two, "ben")
    code, said = two.run_term("close")
    assert code == 1 and said.count(WAITS) == 1
    code, said = two.run_term("close", "--partial")
    assert code == 0 and said.count(WAITS) == 1
    two.capsys.readouterr()
    given = ["restore", str(two.top / "one.zip"), "--release", str(two.top / "release"), "--overwrite"]
    code, said = cli.main(given), "".join(two.capsys.readouterr())
    there = Path("release.before-1", *two.submitted.parts[-2:], "ben", NAME)
    assert code == 0 and said.count(f"{two.top / there}: holds what is not graded in") == 1
