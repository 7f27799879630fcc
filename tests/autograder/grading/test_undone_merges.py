"""After an undone merge each id stands as if there had been none, whatever came while it held; remedies lead on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import store
from autograder.grading.ledger import Entry, Ledger
from autograder.grading.merging import merge, part
from autograder.grading.pipeline import grade
from autograder.grading.regrade import Decision, Wish, regrade
from autograder.grading.removal import remove
from autograder.grading.repair import changed_marks, changed_results
from autograder.grading.settings import Settings
from autograder.grading.summary import Summary
from autograder.reports.roll import StudentRow, read_roll, term_list
from autograder.reports.term import term_path
from autograder.reports.times import enter_times
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, graded_class, hand_in, solved

WHY = Decision("a mistake", "A. Teacher")
FIVE, FOUR, TWO, ONE = "return x + 1", "return x + 0.5", "return x", "-"  # points of ann by her first answer


@pytest.fixture
def term(tmp_path: Path) -> FakeRelease:
    """Ann with 5 points and ben with 1.5, due on 20 April, half of the points from a day on."""
    release = graded_class(tmp_path)
    text = f'[late]\nkeep = [[24, 0.9], [72, 0.5]]\n[due]\n"{NAME}" = 2027-04-20T23:59:00\n'
    term_path(release).write_text(text)
    return release


def came(
    release: FakeRelease, who: str, text: str, time: str = "", book: Mapping[str, Any] | None = None, **more: Any
) -> Summary:
    """Grade a folder of one student; with a time it is one of nbgrader."""
    top = release.root.parent
    folder = top / f"in-{len(list(top.iterdir()))}"
    at = folder / "submitted" / who / NAME if time else folder / "subs" / who
    hand_in(at, dict(book) if book else solved(text))
    if time:
        (at / "timestamp.txt").write_text(f"2027-04-{time}:00 UTC")
    how = Settings(progress=False, execute=fake_execute, **more)
    return grade(folder / ("submitted" if time else "subs"), release, top / "out", NAME, how)


def rows(release: FakeRelease) -> dict[str, StudentRow]:
    return {one.student: one for one in read_roll(release, NAME).students}


def told(release: FakeRelease) -> dict[str, Any]:
    return {
        who: (one.state, one.points, one.share, one.received, one.attempts, one.reason, one.told)
        for who, one in rows(release).items()
    }


def sound(release: FakeRelease) -> bool:
    return changed_results(release) == [] and changed_marks(release) == []


@pytest.mark.parametrize("chosen", ["ann", "ben"])
@pytest.mark.parametrize("first", ["ann", "ben"])
def test_what_came_during_a_merge_is_of_the_id_that_it_came_under(term: FakeRelease, chosen: str, first: str) -> None:
    """The control hands in the same without a merge."""
    control = FakeRelease(term.root.parent / "control" / "release")
    shutil.copytree(term.root, control.root)
    second = {"ann": "ben", "ben": "ann"}[first]
    merge(term, "ann", "ben", WHY, {NAME: chosen})
    for release in (term, control):
        came(release, first, FOUR, "19 10:00")
        store.open_ledger(release).override(NAME, "ann" if release is term else first, "london", 1.75, "as good", "me")
        came(release, second, TWO, "22 10:00")
    assert set(told(term)) == {"ann"} and told(term)["ann"][1] == 3 and sound(term)
    part(term, "ann", "ben", WHY)
    assert told(term) == told(control) and sound(term)
    assert told(term)[first][1:3] == (4.75, 1.0) and told(term)[second][1:3] == (3.0, 0.5)
    verdict = store.open_ledger(term).standings()[(NAME, "ben")].verdict
    assert verdict and verdict["student"] == "ben"
    merge(term, "ann", "ben", WHY, {NAME: first})
    assert told(term)["ann"][1] == 4.75 and sound(term)
    part(term, "ann", "ben", WHY)
    assert told(term) == told(control)


def test_a_person_without_a_hand_in_at_the_merge(term: FakeRelease) -> None:
    merge(term, "ann", "ben", WHY, {NAME: "ann"})
    remove(term, NAME, "ann", "left", "me")
    came(term, "ben", FOUR)
    assert told(term)["ann"][1] == 4
    part(term, "ann", "ben", WHY)
    assert {who: one[1] for who, one in told(term).items()} == {"ben": 4} and sound(term)


def test_what_was_taken_out_is_the_hand_in_that_stood(term: FakeRelease) -> None:
    """The attacker's try: the remedy of an earlier version left both without a grade for good."""
    store.open_ledger(term).override(NAME, "ann", "london", 1.5, "a reason", "me")
    merge(term, "ann", "ben", WHY, {NAME: "ben"})
    came(term, "ben", FOUR)
    remove(term, NAME, "ann", "as told", "me")
    part(term, "ann", "ben", WHY)
    assert {who: one[1] for who, one in told(term).items()} == {"ann": 4.5} and sound(term)
    came(term, "ben", FOUR)
    assert told(term)["ben"][1] == 4 and sound(term)


def test_a_chain_is_undone_from_its_end(term: FakeRelease) -> None:
    came(term, "cee", FOUR)
    before = told(term)
    merge(term, "ben", "cee", WHY, {NAME: "cee"})
    merge(term, "ann", "ben", WHY, {NAME: "ben"})
    assert told(term)["ann"][1] == 4
    came(term, "cee", TWO)
    with pytest.raises(CourseError, match="ben: is itself merged into ann; undo that first"):
        part(term, "ben", "cee", WHY)
    part(term, "ann", "ben", WHY)
    assert (told(term)["ann"], told(term)["ben"][1]) == (before["ann"], 3)
    part(term, "ben", "cee", WHY)
    assert {who: one[1] for who, one in told(term).items()} == {"ann": 5, "ben": 1.5, "cee": 3} and sound(term)


def test_one_file_of_two_accounts_counts_from_its_first_arrival(term: FakeRelease) -> None:
    for who, time in (("eve", "22 12:00"), ("eve2", "19 12:00")):
        came(term, who, FIVE, time)
    before = told(term)
    assert [before[who][2] for who in ("eve", "eve2")] == [0.5, 1.0]
    for kept, other in (("eve", "eve2"), ("eve2", "eve")):
        for chosen in (kept, other):
            merge(term, kept, other, WHY, {NAME: chosen})
            assert told(term)[kept][2:5] == (1.0, "2027-04-19T12:00:00+00:00", 1), (kept, chosen)
            part(term, kept, other, WHY)
            assert told(term) == before, (kept, chosen)


def test_times_that_a_person_gave_are_of_the_id_whose_hand_in_stood(term: FakeRelease) -> None:
    for who in ("eve", "eve2"):
        came(term, who, FIVE)
    enter_times(term, NAME, {"eve2": "2027-04-18T10:00:00+00:00"}, "me", "t.csv")
    before = told(term)
    merge(term, "eve", "eve2", WHY, {NAME: "eve"})
    assert told(term)["eve"][3] == "2027-04-18T10:00:00+00:00"
    done = enter_times(term, NAME, {"eve2": "2027-04-22T10:00:00+00:00"}, "me", "t.csv")
    assert done.written == ["eve"] and told(term)["eve"][2:4] == (0.5, "2027-04-22T10:00:00+00:00")
    assert enter_times(term, NAME, {"eve": "2027-04-22T10:00:00+00:00"}, "me", "t.csv").same == ["eve"]
    part(term, "eve", "eve2", WHY)
    assert told(term)["eve2"] == before["eve2"] and told(term)["eve"][3] == "2027-04-22T10:00:00+00:00"


def test_a_refusal_is_taken_back_with_the_merge(term: FakeRelease) -> None:
    """And one of before it is not lost where the other id has nothing."""
    broken = {"nbformat": 3, "cells": []}
    came(term, "cy", "", book=broken)
    (term.root.parent / "list.csv").write_text("id\nann\nben\ncy\ndan\n")
    term_list(term, term.root.parent / "list.csv")
    before = told(term)
    assert before["cy"][0] == "refused" and before["dan"][0] == "missing"
    for kept, other in (("dan", "cy"), ("ann", "cy")):
        merge(term, kept, other, WHY)
        assert told(term)[kept][0] == {"dan": "refused", "ann": before["ann"][0]}[kept]
        part(term, kept, other, WHY)
        assert told(term) == before
    merge(term, "ann", "ben", WHY, {NAME: "ann"})
    came(term, "ben", "", book=broken)  # a refusal of that time is ben's
    assert told(term)["ann"][5]
    part(term, "ann", "ben", WHY)
    assert told(term)["ann"] == before["ann"] and "format 4" in told(term)["ben"][5]


def test_a_merge_does_not_take_a_refusal_away(term: FakeRelease) -> None:
    came(term, "cy", "", book={"nbformat": 3, "cells": []})
    came(term, "dan", FIVE)
    remove(term, NAME, "dan", "not here", "me")
    ledger = store.open_ledger(term)
    ledger.append("merged", student="dan", into="cy", keep={}, reason="one person", by="me")
    assert told(term)["cy"][0] == "refused"


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """An earlier version, which noted no id that a hand-in came under."""
    write = Ledger.append

    def append(ledger: Ledger, kind: str, **data: Any) -> Entry:
        data.pop("came_as", None)
        return write(ledger, kind, **data)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "append", append)
        yield patch


@pytest.mark.parametrize("whose", ["ann", "ben"])
def test_an_older_ledger_asks_whose_a_hand_in_is(term: FakeRelease, whose: str, older: pytest.MonkeyPatch) -> None:
    merge(term, "ann", "ben", WHY, {NAME: "ben"})
    came(term, whose, FOUR, "22 10:00")
    store.open_ledger(term).override(NAME, "ann", "london", 1.75, "as good", "me")
    older.undo()
    before = store.open_ledger(term).verify()
    say = f"this ledger of an earlier version .* --undo --keep {NAME}=ann, or =ben"
    with pytest.raises(CourseError, match=say):
        part(term, "ann", "ben", WHY)
    for wrong in ({NAME: "cee"}, {"08_other": "ann"}):
        with pytest.raises(CourseError, match="it is needed only where the ledger does not say"):
            part(term, "ann", "ben", WHY, wrong)
    assert store.open_ledger(term).verify() == before
    part(term, "ann", "ben", WHY, {NAME: whose})
    expected = {"ann": (5.0, 1.0), "ben": (1.5, 1.0)} | {whose: (4.75, 0.5)}
    assert {who: one[1:3] for who, one in told(term).items()} == expected and sound(term)


def test_an_older_ledger_knows_whose_the_same_work_is(term: FakeRelease, older: pytest.MonkeyPatch) -> None:
    before = told(term)
    merge(term, "ann", "ben", WHY, {NAME: "ben"})
    older.undo()
    part(term, "ann", "ben", WHY)
    assert told(term) == before and sound(term)


def test_a_result_that_an_earlier_version_did_not_keep_comes_back_as_the_message_says(
    term: FakeRelease, older: pytest.MonkeyPatch
) -> None:
    older.setattr("autograder.grading.pipeline.keep_aside", lambda _: None)
    merge(term, "ann", "ben", WHY, {NAME: "ann"})
    came(term, "ben", FOUR)
    older.undo()
    before = store.open_ledger(term).verify()
    with pytest.raises(CourseError, match=f"{NAME}=ann, or =ben"):
        part(term, "ann", "ben", WHY)
    with pytest.raises(CourseError, match=r"ann: the result of .* was not kept .* and --again"):
        part(term, "ann", "ben", WHY, {NAME: "ben"})
    assert store.open_ledger(term).verify() == before
    assert came(term, "ann", FIVE, resume=False).exit_code == 0
    part(term, "ann", "ben", WHY, {NAME: "ben"})
    assert {who: one[1] for who, one in told(term).items()} == {"ann": 5, "ben": 4} and sound(term)


def test_the_longer_extension_and_the_excuse_of_either_id_count(term: FakeRelease) -> None:
    came(term, "old", FIVE, "22 12:00")
    path = term.root.parent / "list.csv"
    for mine, theirs, share in (("", "+3d", 1.0), ("+3d", "+1h", 1.0), ("2027-05-01", "", 1.0), ("", "+1h", 0.5)):
        path.write_text(f"id,name,section,extension\nann,,,\nben,,,\nnew,New,,{mine}\nold,Old,B,{theirs}\n")
        term_list(term, path)
        lines = merge(term, "new", "old", WHY)
        said = [one for one in lines if "of the two due times the later one counts" in one]
        assert bool(said) == bool(theirs) and any("section B; it counts for new" in one for one in lines)
        row = rows(term)["new"]
        assert (row.share, row.name, row.given["section"]) == (share, "New", "B")
        part(term, "new", "old", WHY)
    path.write_text(f"id,section,excused\nann,,\nben,,\nnew,A,\nold,B,{NAME}\n")
    term_list(term, path)
    lines = merge(term, "new", "old", WHY)
    assert any(f"old is excused ({NAME}); that counts for new, too" in one for one in lines)
    assert any("section B; that of new, A, counts" in one for one in lines)
    assert rows(term)["new"].state == "excused" and rows(term)["new"].given["section"] == "A"
    part(term, "new", "old", WHY)
    assert rows(term)["new"].state == "missing" and rows(term)["old"].state == "excused"


@pytest.mark.parametrize("again", [False, True])
def test_the_same_work_under_the_other_id_is_of_both(term: FakeRelease, again: bool) -> None:
    """Ben sends, late and during the merge, what ann has sent in time; the control is without a merge."""
    came(term, "ann", FOUR, "19 10:00")
    control = FakeRelease(term.root.parent / "control" / "release")
    shutil.copytree(term.root, control.root)
    merge(term, "ann", "ben", WHY, {NAME: "ann"})
    for release in (term, control):
        came(release, "ben", FOUR, "22 10:00", resume=not again)
    assert told(term)["ann"][1:4] == (4, 1.0, "2027-04-19T10:00:00+00:00") and sound(term)
    count = len(list(store.open_ledger(term)))
    assert came(term, "ben", FOUR, "22 10:00").exit_code == 0 and len(list(store.open_ledger(term))) == count
    part(term, "ann", "ben", WHY)
    assert told(term) == told(control) and told(term)["ben"][1:3] == (4, 0.5) and sound(term)


def test_the_graders_copy_judged_again_stays_with_the_id_that_it_came_under(term: FakeRelease) -> None:
    book = solved(FOUR)
    folder = term.root.parent / "bare" / "ben"
    folder.mkdir(parents=True)
    (folder / f"{NAME}.ipynb").write_text(json.dumps(book))  # without files a copy of it is whole
    how = Settings(progress=False, execute=fake_execute)
    grade(folder.parent, term, term.root.parent / "out", NAME, how)
    before = {who: one[1] for who, one in told(term).items()}
    merge(term, "ann", "ben", WHY, {NAME: "ben"})
    copies = store.course_dir(term) / "submitted"
    found = grade(copies, term, term.root.parent / "out", NAME, replace(how, resume=False))
    assert [one.state for one in found.outcomes] == ["graded"]
    part(term, "ann", "ben", WHY)
    assert {who: one[1] for who, one in told(term).items()} == before == {"ann": 5, "ben": 4} and sound(term)


def test_files_of_both_ids_stay_apart(term: FakeRelease) -> None:
    """A regrade finds the files that each id handed in, during the merge and after it."""
    out, how = term.root.parent / "out", Settings(progress=False, execute=fake_execute)
    merge(term, "ann", "ben", WHY, {NAME: "ann"})
    came(term, "ben", FOUR)
    done = regrade(term, out, NAME, how, Wish(everything=True), WHY)
    assert not done.failed and done.entered == ["ann"]
    folder = term.root.parent / "last" / "ben"
    hand_in(folder, solved(FOUR))
    (folder / "work" / NAME / "predictions.txt").write_text("Oslo\n")
    grade(folder.parent, term, out, NAME, how)
    part(term, "ann", "ben", WHY)
    done = regrade(term, out, NAME, how, Wish(everything=True), WHY)
    assert not done.failed and done.entered == ["ann", "ben"]
    assert {who: one[1] for who, one in told(term).items()} == {"ann": 5, "ben": 4} and sound(term)
    for who, text in (("ann", "Rome\n"), ("ben", "Oslo\n")):
        files = store.of_ledger(term, NAME, who, store.open_ledger(term).standings()[(NAME, who)]).intake.files
        assert (files / "predictions.txt").read_text() == text
