"""Who is graded and on no line of the class list is named, and nobody gets a 0 as long as that is so."""

from __future__ import annotations

import csv
import shlex

import pytest

from tests.autograder.intake.test_own_copies import Desk, desk
from tests.autograder.tiny_course import NAME, hand_in, solved

__all__ = ["desk"]  # the fixture
OFF = "not on the class list, and something came from them"
PEOPLE = "id,name\nann,Ann Roe\nc1,Cy Lee\nkim,Kim Poe\n"


def listed(desk: Desk, text: str = PEOPLE) -> tuple[int, str]:
    (desk.top / "people.csv").write_text(text)
    return desk.run_term("roster", desk.top / "people.csv")


def grades(desk: Desk, *more: str) -> tuple[int, str, dict[str, str]]:
    code, said = desk.run("export", "--file", desk.top / "g.csv", "--partial", *more)
    rows = csv.DictReader((desk.top / "g.csv").read_text(encoding="utf-8-sig").splitlines())
    return code, said, {one["student"]: one["counts"] for one in rows}


@pytest.fixture
def early(desk: Desk) -> Desk:
    """ann and Cy Lee, graded by the names of their folders; the class list comes afterwards."""
    hand_in(desk.top / "subs" / "ann")
    hand_in(desk.top / "subs" / "Lee, Cy", solved("return x"))
    assert desk.grade(desk.top / "subs")[0] == 0 and OFF not in desk.grade(desk.top / "subs")[1]
    assert listed(desk)[0] == 0
    return desk


def test_no_0_is_given_while_somebody_who_is_graded_is_on_no_line(early: Desk) -> None:
    code, said, points = grades(early, "--zeros")
    assert code == 1 and "no 0 is given to anybody: who is not on the class list" in said
    assert points == {"ann": "5", "Lee_Cy": "3", "c1": "", "kim": ""} and f"{OFF} in {NAME}: Lee_Cy;" in said
    code, said, points = grades(early)
    assert code == 0 and f"{OFF} in {NAME}: Lee_Cy;" in said, "it is named without --zeros, too"
    (command,) = [line.partition("python -m autograder ")[2] for line in said.splitlines() if "seems to be c1" in line]
    words = shlex.split(command)
    assert (
        words[:3] == ["merge", "c1", "Lee_Cy"] and early.run(*words[:3], "--reason", "another id", "--by", "me")[0] == 0
    )
    code, said, points = grades(early, "--zeros")
    assert code == 0 and OFF not in said and points == {"ann": "5", "c1": "3", "kim": "0"}


def test_one_hand_in_in_two_rows_is_named_with_the_command_that_joins_them(early: Desk) -> None:
    code, said = early.grade(early.top / "subs")
    assert code == 0 and f"{OFF} in {NAME}: Lee_Cy;" in said
    twice = "Lee_Cy and c1 have the same hand-in, and each has a row with its grade"
    assert twice in said and "seems to be" not in said
    code, said, points = grades(early, "--zeros")
    assert code == 1 and twice in said and points["c1"] == points["Lee_Cy"] == "3" and points["kim"] == ""
    (command,) = [line.partition("python -m autograder ")[2] for line in said.splitlines() if twice in line]
    words = shlex.split(command)
    assert early.run(*words[:5], "--reason", words[-1], "--by", "me")[0] == 0
    code, said, points = grades(early, "--zeros")
    assert code == 0 and OFF not in said and points == {"ann": "5", "c1": "3", "kim": "0"}


def test_somebody_who_was_refused_under_another_id_counts_as_well(desk: Desk) -> None:
    hand_in(desk.top / "subs" / "ann")
    (desk.top / "subs" / "dan9").mkdir()
    (desk.top / "subs" / "dan9" / f"{NAME}.ipynb").write_text("{")
    assert desk.grade(desk.top / "subs", "--from", "folders")[0] == 1 and listed(desk)[0] == 0
    code, said, points = grades(desk, "--zeros")
    assert code == 1 and f"{OFF} in {NAME}: dan9;" in said and points["kim"] == ""
    assert desk.run("remove", "dan9", "--reason", "a test account", "--by", "me")[0] == 0
    code, said, points = grades(desk, "--zeros")
    assert code == 0 and points["kim"] == "0" and points["c1"] == "0"


def test_two_of_the_class_list_with_equal_work_and_a_class_without_a_list_are_no_matter(desk: Desk) -> None:
    for who in ("ann", "kim"):
        hand_in(desk.top / "subs" / who)
    assert OFF not in desk.grade(desk.top / "subs")[1] and OFF not in grades(desk, "--zeros")[1]
    assert listed(desk)[0] == 0
    code, said, points = grades(desk, "--zeros")
    assert code == 0 and "same hand-in" not in said and points == {"ann": "5", "kim": "5", "c1": "0"}
