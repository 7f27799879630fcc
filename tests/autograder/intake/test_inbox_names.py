"""What lies in ``submitted/`` under another name than the id is its student's for every command, as it is for ``grade``."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from autograder import cli
from autograder.cli.grading import NO_ZEROS_WAITING
from autograder.grading import backup as saved
from autograder.grading.inbox import all_left
from autograder.grading.store import open_ledger
from tests.autograder.intake.test_inbox import BY, MERGE, WAITS, files, given, newer, two
from tests.autograder.intake.test_own_copies import DUE, Desk, desk
from tests.autograder.tiny_course import NAME, FakeRelease, hand_in, solved

__all__ = ["desk", "two"]  # the fixtures
LIST = "id,name,email\nann,Ann A,ann@uni.example\nben,,\ndan,Dan Doe,dan@uni.example\neve,,\n"
OTHERS = ("dan@uni.example", "Dan Doe", "DAN")


def listed(desk: Desk, text: str = LIST) -> None:
    path = desk.top / "list.csv"
    path.write_text(text)
    assert desk.run_term("roster", path)[0] == 0


def zeros(desk: Desk) -> tuple[int, str]:
    return desk.run("export", "--format", "csv", "--zeros", "--partial", "--file", desk.top / "g.csv")


def length(desk: Desk) -> int:
    return len(list(open_ledger(desk.release)))


@pytest.mark.parametrize("folder", ["Dan Doe", "dan@uni.example", "DAN"])
def test_without_a_class_list_a_folder_is_its_students_too(two: Desk, folder: str) -> None:
    """``grade`` makes an id of the name; the copy then lies beside the folder, and neither is new."""
    two.collected(folder, DUE - timedelta(hours=1))
    assert two.nbgrader()[0] == 0 and all_left(two.release) == []
    count = length(two)
    code, said = two.nbgrader()
    assert code == 0 and length(two) == count, said
    two.collected(folder, DUE - timedelta(minutes=30), london="return x")
    assert len(all_left(two.release)) == 1
    assert two.nbgrader()[0] == 0 and two.of(folder.replace(" ", "_")).points == 3 and all_left(two.release) == []


@pytest.mark.parametrize("kind", ["hw7", "at the top", "archive", "folder"])
def test_no_zeros_while_anything_waits_that_grade_reads(two: Desk, kind: str) -> None:
    """The notebook in a folder of another name, beside the folders, or the students' folders as a zip or a folder more."""
    listed(two)
    made = hand_in(two.top / "work", solved())
    if kind == "archive":
        shutil.make_archive(str(two.submitted / "dan"), "zip", made)
    else:
        place = {"hw7": "dan/hw7", "at the top": "dan", "folder": f"class/dan/{NAME}"}[kind]
        shutil.copytree(made, two.submitted / place, dirs_exist_ok=True)
    code, said = zeros(two)
    assert code == 1 and NO_ZEROS_WAITING in said and said.count(WAITS) == 1 and "0" not in given(two).values()
    code, said = two.nbgrader()
    if kind in ("hw7", "at the top"):
        assert code == 0 and two.of("dan").points == 5 and all_left(two.release) == [], said
        assert zeros(two)[0] == 0 and given(two)["eve"] == "0"
    else:
        assert code == 1, "it is nobody's, which grade says"


def test_work_of_another_assignment_alone_does_not_wait(two: Desk) -> None:
    listed(two)
    place = two.submitted / "dan" / "99_other"
    hand_in(place)
    (place / f"{NAME}.ipynb").rename(place / "99_other.ipynb")
    (two.submitted / ".DS_Store").write_text("x")
    (two.submitted / "eve").mkdir()
    assert all_left(two.release) == [] and zeros(two)[0] == 0 and given(two)["dan"] == "0"


@pytest.mark.parametrize("folder", OTHERS)
@pytest.mark.parametrize("command", ["override", "remove", "merge", "regrade"])
def test_commands_name_what_waits_in_a_folder_of_another_name(two: Desk, folder: str, command: str) -> None:
    listed(two)
    two.collected("dan", DUE - timedelta(hours=2), london="return x")
    assert two.nbgrader()[0] == 0
    two.collected(folder, DUE - timedelta(hours=1))
    given = {
        "override": ("override", "dan", "paris", "0.5", *BY),
        "remove": ("remove", "dan", *BY),
        "merge": ("merge", "ben", "dan", *BY, "--keep", f"{NAME}=dan"),
        "regrade": ("regrade", "--all", "--apply", *BY),
    }
    code, said = two.run(*given[command])
    assert code == 0 and said.count(WAITS) == 1 and str(two.submitted / folder / NAME) in said, said


def test_of_somebody_else_nothing_is_named(two: Desk) -> None:
    listed(two)
    two.collected("Dan Doe", DUE - timedelta(hours=1))
    assert WAITS not in two.run("override", "ann", "paris", "0.5", *BY)[1]


@pytest.mark.parametrize("undo", [False, True])
def test_a_merged_id_and_a_name_of_the_list_at_once(two: Desk, *, undo: bool) -> None:
    """Ann has three folders: her copy, one of the id that was merged, and one by e-mail with what is new."""
    listed(two)
    assert two.run(*MERGE, "--keep", f"{NAME}=ann")[0] == 0
    two.collected("ann@uni.example", DUE - timedelta(hours=1))
    assert len(all_left(two.release)) == 1
    code, said = two.nbgrader()
    assert code == 0 and two.of("ann").points == 5 and all_left(two.release) == [], said
    if undo:
        assert two.run(*MERGE, "--undo")[0] == 0
        assert (two.of("ann").points, two.of("ben").points) == (5, 3)
    count = length(two)
    code, said = two.nbgrader()
    assert code == 0 and length(two) == count and all_left(two.release) == [], said


def test_submissions_are_judged_anew_where_a_folder_has_another_name(two: Desk) -> None:
    listed(two)
    two.collected("Dan Doe", DUE - timedelta(hours=1))
    assert two.nbgrader()[0] == 0
    given = ("regrade", two.submitted, "--from", "nbgrader", "--students", "dan", "--quiet", *BY)
    code, said = two.run(*given)
    assert code == 0 and "and so would" not in said, said
    assert [one.data["student"] for one in open_ledger(two.release) if one.kind == "regrade"] == ["dan"]


def test_a_class_list_with_an_error_does_not_stop_what_needs_none(two: Desk) -> None:
    was = newer(two, "ann")
    (two.course / "roster.csv").write_text("id\nann\nann\n")
    for command in (("override", "ann", "paris", "0.5", *BY), ("ledger", "rebuild")):
        code, said = two.run(*command)
        assert code == 0 and said.count(WAITS) == 1, said
    assert files(two.submitted / "ann" / NAME) == was


@pytest.mark.parametrize("folder", ["ben", "dan@uni.example", "dan/hw7"])
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("damaged", [False, True])
def test_restore_names_what_the_restored_release_lacks(
    two: Desk, monkeypatch: pytest.MonkeyPatch, folder: str, *, graded: bool, damaged: bool
) -> None:
    """It lies in the folder that was set aside. Graded after the backup or not: this ledger has it not."""
    monkeypatch.setattr(saved, "load_release", lambda root, **_: FakeRelease(Path(root)))
    root = two.top / "release"
    (root / "release.json").write_text('{"seed": 12345}')
    listed(two)
    assert two.run_backup(two.top / "one.zip")[0] == 0
    hand_in(two.submitted / (folder if "hw7" in folder else f"{folder}/{NAME}"), solved(why="later"))
    if graded:
        assert two.nbgrader()[0] == 0
    if damaged:
        (two.course / "ledger.jsonl").write_text("?\n")
    two.capsys.readouterr()
    again = ["restore", str(two.top / "one.zip"), "--release", str(root), "--overwrite"]
    code, said = cli.main(again), "".join(two.capsys.readouterr())
    aside = two.top / "release.before-1"
    assert code == 0 and f"what was here before is in {aside}" in said
    # once it is graded, the grader's copy of it lies in a folder of its own, too
    assert said.count("holds what is not graded in") == (2 if graded and folder == "dan@uni.example" else 1), said
    named = [Path(line.split(": holds")[0]) for line in said.splitlines() if ": holds what" in line]
    for one in named:
        assert one.is_relative_to(aside) and f"{root / one.relative_to(aside)}, then: python -m" in said
        shutil.copytree(one, root / one.relative_to(aside), dirs_exist_ok=True)
    code, said = two.nbgrader()
    assert len(named) == 2 or (code == 0 and two.of(folder.split("/")[0].split("@")[0]).points == 5), said
