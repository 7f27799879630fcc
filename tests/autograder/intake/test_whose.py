"""Who handed in what: nothing, twice, or something that cannot be read. Nobody gets a zero for the last two."""

from __future__ import annotations

import csv
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from autograder.intake.discover import survey, take_in
from autograder.reports.roll import read_roll
from tests.autograder.intake.test_own_copies import DUE, Desk, desk
from tests.autograder.tiny_course import NAME, hand_in, notebook, solved

__all__ = ["desk"]


def zeros(desk: Desk) -> dict[str, str]:
    """Students with points in Canvas's file of ``--zeros``."""
    desk.run("export", "--format", "canvas", "--zeros", "--partial", "--file", desk.top / "c.csv")
    rows = list(csv.reader((desk.top / "c.csv").read_text(encoding="utf-8-sig").splitlines()))
    return {row[3]: row[5] for row in rows[2:]}


def states(desk: Desk) -> dict[str, str]:
    return {one.student: one.state for one in read_roll(desk.release, NAME).students}


def roster(desk: Desk, *people: str) -> Path:
    path = desk.top / "people.csv"
    path.write_text("id,name\n" + "".join(f"{who},\n" for who in people))
    return path


def test_without_a_folder_of_the_assignment_nothing_was_handed_in(desk: Desk) -> None:
    desk.collected("ann", DUE - timedelta(hours=1))
    other = hand_in(desk.submitted / "xi" / "01_attention")
    (other / f"{NAME}.ipynb").rename(other / "01_attention.ipynb")
    (desk.submitted / "zoe").mkdir()
    (desk.submitted / "gone" / "01_attention").mkdir(parents=True)  # who left is not on the list any more
    code, said = desk.nbgrader("--roster", roster(desk, "ann", "xi", "zoe"))
    assert code == 0 and "on the class list, and nothing handed in: xi, zoe" in said and "gone" not in said
    assert states(desk) == {"ann": "unmarked", "xi": "missing", "zoe": "missing"}
    assert zeros(desk) == {"ann": "5", "xi": "0", "zoe": "0"}
    assert desk.run("feedback")[0] == 0 and not (desk.top / "out" / "feedback" / "xi.html").exists()


def test_without_a_class_list_they_are_named(desk: Desk) -> None:
    desk.collected("ann", DUE - timedelta(hours=1))
    (desk.submitted / "xi" / "01_attention").mkdir(parents=True)
    code, said = desk.nbgrader()
    assert code == 0 and f"handed in nothing of {NAME}, only others: xi" in said
    assert states(desk) == {"ann": "unmarked"}


@pytest.mark.parametrize("name", [f"{NAME}.ipynb", "any.ipynb", "work.zip", f"old/{NAME}.ipynb"])
def test_what_lies_in_another_place_of_the_folder_is_no_nothing(name: str, tmp_path: Path) -> None:
    path = tmp_path / "submitted" / "xi" / name
    path.parent.mkdir(parents=True)
    path.write_text("x")
    assert [one.student for one in survey(tmp_path / "submitted", "nbgrader", None, NAME).found] == ["xi"]


@pytest.mark.parametrize("second", ["jose.ipynb", "jose.zip", "jose (1).zip", "jose(2)"])
def test_two_files_of_one_person_are_refused_and_no_zero(desk: Desk, second: str) -> None:
    subs, other = desk.top / "subs", desk.top / "other" / "x"
    hand_in(subs / "jose")
    hand_in(other, solved("return x"))
    if second.endswith(".ipynb"):
        shutil.copy(other / f"{NAME}.ipynb", subs / second)
    elif second.endswith(".zip"):
        shutil.make_archive(str(subs / second.removesuffix(".zip")), "zip", other)
    else:
        shutil.copytree(other, subs / second)
    hand_in(subs / "ann")
    code, said = desk.grade(subs, "--roster", roster(desk, "jose", "ann", "eva"))
    assert code == 1 and "jose: not graded (refused): " in said and "keep the one that counts" in said
    assert "nothing handed in: eva\n" in said and "not understood" not in said
    assert states(desk) == {"ann": "unmarked", "eva": "missing", "jose": "refused"}
    assert zeros(desk) == {"ann": "5", "eva": "0"}
    shutil.rmtree(subs / "jose")
    assert desk.grade(subs)[0] == 0 and desk.of("jose").graded and not desk.of("jose").reason


def test_who_was_graded_keeps_the_grade(desk: Desk) -> None:
    hand_in(desk.top / "a" / "jose")
    desk.grade(desk.top / "a", "--roster", roster(desk, "jose"))
    hand_in(desk.top / "b" / "jose", solved("return x"))
    shutil.make_archive(str(desk.top / "b" / "jose"), "zip", desk.top / "a" / "jose")
    assert desk.grade(desk.top / "b")[0] == 1
    assert desk.of("jose").final == 5 and "would be graded as jose, and so would jose" in desk.of("jose").reason


def test_a_number_behind_a_name_of_the_list_stays_a_name(desk: Desk) -> None:
    (desk.top / "people.csv").write_text("id,name\nbo,Bo\nbo2,Bo (1)\n")
    for name in ("Bo", "Bo (1)"):
        hand_in(desk.top / "subs" / name)
    found = survey(desk.top / "subs", "folders", desk.top / "people.csv", NAME)
    assert [one.student for one in found.found] == ["bo", "bo2"]


def test_a_spoiled_file_in_the_zip_of_a_class_is_no_zero(desk: Desk) -> None:
    """The entry is seen, its student is known, and it cannot be unpacked."""
    import zipfile

    with zipfile.ZipFile(desk.top / "class.zip", "w") as packed:
        packed.writestr(f"ann/{NAME}.ipynb", "{}")
        packed.writestr(f"ANN/{NAME}.ipynb", "{}")
    hand_in(desk.top / "subs" / "eva")
    desk.grade(desk.top / "subs", "--roster", roster(desk, "ann", "eva", "kim"))
    assert desk.grade(desk.top / "class.zip", "--from", "folders")[0] == 1
    assert states(desk) == {"ann": "refused", "eva": "unmarked", "kim": "missing"} and "ann" not in zeros(desk)


def test_gradescope_says_which_of_two_is_newer(tmp_path: Path) -> None:
    rows = []
    for number, time in ((1, "10:00:00"), (2, "12:00:00"), (3, "11:00:00")):
        hand_in(tmp_path / f"submission_{number}")
        who = "  :submitters:\n  - :name: Ann\n    :sid: '7'\n"
        rows.append(f"submission_{number}:\n{who}  :created_at: 2027-04-20 {time} Z\n")
    (tmp_path / "submission_metadata.yml").write_text("".join(rows))
    found = survey(tmp_path, "gradescope", None, NAME)
    assert [one.path.name for one in found.found] == ["submission_2"] and not found.refused
    assert "submission_2 is the newest hand-in and counts, not submission_1, submission_3" in found.notes[-1]
    (tmp_path / "submission_metadata.yml").write_text("".join(rows).replace("11:00:00", "12:00:00"))
    found = survey(tmp_path, "gradescope", None, NAME)
    assert not found.found and {one.student for one in found.refused} == {"Ann_7"}


def test_a_second_notebook_is_named(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "xi")
    (folder / f"{NAME}-Copy1.ipynb").write_text((folder / f"{NAME}.ipynb").read_text() + " ")
    (folder / f"{NAME} (same).ipynb").write_text((folder / f"{NAME}.ipynb").read_text())
    (folder / "other.ipynb").write_text("{}")
    (found,) = survey(tmp_path, "folders", None, NAME).found
    notes = take_in(found, NAME, notebook(hidden=False), tmp_path / "out").notes
    assert f"1 further notebook in the hand-in ({NAME}-Copy1.ipynb): {NAME}.ipynb was graded" in notes


def test_nobody_gets_a_zero_while_a_file_is_nobodys(desk: Desk) -> None:
    """It may be the work of one of two people of a name; once it is taken out, who handed in nothing has 0 points."""
    subs = desk.top / "subs"
    hand_in(subs / "Anna Schmidt")
    hand_in(subs / "eva")
    path = desk.top / "people.csv"
    path.write_text("id,name\nanna1,Anna Schmidt\nanna2,Anna Schmidt\neva,Eva\nxi,Xi\n")
    code, said = desk.grade(subs, "--roster", path)
    assert code == 1 and "not understood: Anna Schmidt" in said
    assert zeros(desk) == {"eva": "5"}
    code, said = desk.run("export", "--format", "csv", "--zeros", "--partial")
    assert code == 1 and "no 0 is given to anybody" in said and "0 points, since" not in said
    assert desk.run("remove", "Anna Schmidt", "--reason", "asked them", "--by", "me")[0] == 0
    assert zeros(desk) == {"eva": "5", "anna1": "0", "anna2": "0", "xi": "0"}


@pytest.mark.parametrize(
    "place", ["hw7/07 of bob.ipynb", f"{NAME.upper()}/{NAME.upper()}.ipynb", "abgabe/abgabe.zip", "01_x/work.zip"]
)
def test_a_folder_with_another_name_is_no_nothing(place: str, tmp_path: Path) -> None:
    path = tmp_path / "submitted" / "xi" / place
    path.parent.mkdir(parents=True)
    path.write_text("x")
    assert [one.student for one in survey(tmp_path / "submitted", "nbgrader", None, NAME).found] == ["xi"]


def test_a_students_file_release_json_stops_nobody(desk: Desk) -> None:
    subs = desk.top / "subs"
    (hand_in(subs / "bob") / "release.json").write_text("{}")
    (subs / "bob" / "private").mkdir()
    hand_in(subs / "ann")
    assert desk.grade(subs)[0] == 0 and states(desk) == {"ann": "unmarked", "bob": "unmarked"}


def test_copies_of_another_release_are_refused(desk: Desk) -> None:
    other = desk.top / "last year"
    (other / "private").mkdir(parents=True)
    (other / "release.json").write_text("{}")
    hand_in(other / "instructor" / "submitted" / "ann" / NAME)
    code, said = desk.grade(other / "instructor" / "submitted", "--from", "nbgrader")
    assert code == 2 and "belongs to another release" in said
