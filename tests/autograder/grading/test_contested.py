"""Files of several ids of one person in one folder are refused; once merges are undone each id has its own refusal."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from autograder.grading.merging import merge, part
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.reports.roll import term_list
from tests.autograder.grading.test_undone_merges import FOUR, WHY, came, sound, term, told
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, solved

__all__ = ["term"]  # the fixture
BROKEN = {"nbformat": 3, "cells": []}


@pytest.fixture
def four(term: FakeRelease) -> FakeRelease:
    """Ann, ben, cee and dan, all graded and on the list."""
    for who in ("cee", "dan"):
        came(term, who, FOUR)
    path = term.root.parent / "list.csv"
    path.write_text("id\nann\nben\ncee\ndan\n")
    term_list(term, path)
    return term


def together(release: FakeRelease, *students: str, broken: str = "") -> None:
    """Grade one folder with a file of each of these, one of them broken if wished."""
    top = release.root.parent
    folder = top / f"together-{len(list(top.iterdir()))}"
    for who in students:
        book: dict[str, Any] = BROKEN if who == broken else solved("return x + 7")
        hand_in(folder / who, book)
    grade(folder, release, top / "out", NAME, Settings(progress=False, execute=fake_execute))


def refusals(release: FakeRelease) -> dict[str, str]:
    """Why the newest file of somebody was not graded."""
    return {who: one[5] for who, one in told(release).items() if one[5]}


@pytest.mark.parametrize("broken", ["", "ann", "ben"])
def test_each_of_two_ids_has_its_refusal(four: FakeRelease, broken: str) -> None:
    merge(four, "ann", "ben", WHY, {NAME: "ann"})
    together(four, "ann", "ben", broken=broken)
    assert "ann and ben are one person" in refusals(four)["ann"] or broken
    part(four, "ann", "ben", WHY)
    assert set(refusals(four)) == {"ann", "ben"} and sound(four)
    came(four, "ben", FOUR)
    assert set(refusals(four)) == {"ann"}, "what is handed in again is graded, and the other one is still told"


@pytest.mark.parametrize("sent", [("ann", "ben"), ("ann", "cee"), ("ben", "cee")])
@pytest.mark.parametrize("first", ["ben", "cee"])
def test_of_three_ids_only_those_that_sent_something(four: FakeRelease, sent: tuple[str, str], first: str) -> None:
    for other in ("ben", "cee"):
        merge(four, "ann", other, WHY, {NAME: "ann"})
    together(four, *sent)
    assert set(refusals(four)) == {"ann"}
    for other in sorted(("ben", "cee"), key=lambda one: one != first):
        part(four, "ann", other, WHY)
    assert set(refusals(four)) == set(sent) and sound(four)


@pytest.mark.parametrize("sent", [("ann", "cee"), ("ann", "ben"), ("ben", "cee"), ("ann", "ben", "cee")])
def test_in_a_chain_what_came_goes_with_the_ids_that_leave(four: FakeRelease, sent: tuple[str, ...]) -> None:
    merge(four, "ben", "cee", WHY, {NAME: "ben"})
    merge(four, "ann", "ben", WHY, {NAME: "ann"})
    together(four, *sent)
    part(four, "ann", "ben", WHY)
    leave = {"ben"} if {"ben", "cee"} & set(sent) else set()
    assert set(refusals(four)) == ({"ann"} & set(sent)) | leave
    part(four, "ben", "cee", WHY)
    assert set(refusals(four)) == set(sent) and sound(four)


@pytest.mark.parametrize("sent", [("ann", "ben"), ("ben", "cee")])
@pytest.mark.parametrize("which", [(), (0,), (1,), (0, 1)])
def test_two_files_of_one_id_beside_the_other_id(
    four: FakeRelease, sent: tuple[str, str], which: tuple[int, ...]
) -> None:
    """A folder and a zip of one person: each id that sent something has its refusal once the merge is undone."""
    for other in ("ben", "cee"):
        merge(four, "ann", other, WHY, {NAME: "ann"})
    top = four.root.parent
    for at, who in enumerate(sent):
        hand_in(top / "double" / who, solved("return x + 7"))
        if at in which:
            shutil.make_archive(str(top / "double" / who), "zip", top / "double" / who)
    grade(top / "double", four, top / "out", NAME, Settings(progress=False, execute=fake_execute))
    assert set(refusals(four)) == {"ann"}
    for other in ("cee", "ben"):
        part(four, "ann", other, WHY)
    assert set(refusals(four)) == set(sent) and sound(four)


def test_a_refusal_of_another_person_stays(four: FakeRelease) -> None:
    merge(four, "ann", "ben", WHY, {NAME: "ann"})
    came(four, "dan", "", book=BROKEN)
    part(four, "ann", "ben", WHY)
    assert set(refusals(four)) == {"dan"}
