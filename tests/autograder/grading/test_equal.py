"""One file under two names is said, with what it does not prove; so is who is graded and not in the export."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.grading import equal, pipeline
from autograder.grading.equal import equal_handins
from autograder.grading.identities import People
from autograder.grading.merging import merge
from autograder.grading.pipeline import grade
from autograder.grading.regrade import Decision
from autograder.grading.removal import remove
from autograder.grading.settings import Settings
from autograder.grading.store import course_dir, open_ledger
from autograder.grading.summary import Summary, not_here, some
from autograder.release import read
from autograder.reports.class_report import class_report
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, make_release, notebook, solved

QUICK = Settings(progress=False, execute=fake_execute)


def run(release: FakeRelease, subs: Path) -> Summary:
    return grade(subs, release, release.root.parent / "out", NAME, QUICK)


@pytest.fixture
def two(tmp_path: Path) -> FakeRelease:
    """Ann and ben with answers of their own, graded from ``subs``."""
    for name in ("ann", "ben"):
        hand_in(tmp_path / "subs" / name, solved(why=name))
    release = make_release(tmp_path / "release")
    found = run(release, tmp_path / "subs")
    assert found.equal == [] and found.absent == [] and found.news == "2 new, 0 changed, 0 as before"
    return release


def bare_ledger(release: FakeRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    """The entries as a version wrote them that did not note the bytes."""
    people = open_ledger(release).people
    monkeypatch.setattr("autograder.grading.ledger.Ledger.people", lambda _: without(people()))


def without(people: Any) -> Any:
    for told in people.history:
        told.data.pop("handed", None)
    return people


def test_a_copied_file_is_named_in_the_summary_and_in_the_report(two: FakeRelease) -> None:
    subs = two.root.parent / "subs"
    shutil.copytree(subs / "ann", subs / "carl")
    assert run(two, subs).equal == [["ann", "carl"]]
    assert run(two, subs).equal == [["ann", "carl"]], "as long as it is so"
    text = class_report(two, NAME, two.root.parent / "report").read_text(encoding="utf-8")
    assert "<strong>ann</strong> and <strong>carl</strong>: the same file, to the byte" in text
    assert "does not prove" in text and "under another person" in text


def test_a_file_that_lies_under_another_name_is_found_with_whom_it_was_graded(two: FakeRelease) -> None:
    subs = two.root.parent / "subs"
    (subs / "ann").rename(subs / "late1")
    found = run(two, subs)
    assert found.equal == [["ann", "late1"]] and found.absent == ["ann"]
    assert found.news == "1 new, 0 changed, 1 as before"


def test_what_somebody_else_handed_in_before_is_found_though_it_was_replaced(two: FakeRelease) -> None:
    subs = two.root.parent / "subs"
    shutil.copytree(subs / "ann", subs / "carl")
    (subs / "ann" / f"{NAME}.ipynb").write_text(json.dumps(solved("return x + 0.5", why="better")))
    found = run(two, subs)
    assert found.equal == [["ann", "carl"]] and found.news == "1 new, 1 changed, 1 as before"
    (subs / "carl" / f"{NAME}.ipynb").write_text(json.dumps(solved(why="his own")))
    assert run(two, subs).equal == [], "it stands for nobody now"


def test_the_same_answers_in_another_file_are_not_the_same_file(
    two: FakeRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    subs = two.root.parent / "subs"
    hand_in(subs / "carl")
    (subs / "carl" / f"{NAME}.ipynb").write_text(json.dumps(solved(why="ann"), indent=2))
    assert run(two, subs).equal == []
    bare_ledger(two, monkeypatch)
    (one,) = equal_handins(open_ledger(two).people(), NAME, two.skeleton(NAME))
    assert one.students == ("ann", "carl") and one.words == "the same answers and files"


def test_notebooks_without_an_answer_are_not_named(two: FakeRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    subs = two.root.parent / "subs"
    for name in ("carl", "dora"):
        hand_in(subs / name, notebook(hidden=False))
    assert run(two, subs).equal == []
    bare_ledger(two, monkeypatch)
    assert equal_handins(open_ledger(two).people(), NAME, two.skeleton(NAME)) == []


def test_who_was_taken_out_or_is_the_same_person_is_not_named(two: FakeRelease) -> None:
    subs = two.root.parent / "subs"
    for name, other in (("ann", "carl"), ("ben", "b2")):
        shutil.copytree(subs / name, subs / other)
    assert run(two, subs).equal == [["ann", "carl"], ["b2", "ben"]]
    remove(two, NAME, "carl", "by mistake", "T")
    merge(two, "ben", "b2", Decision("two accounts", "T"), {NAME: "ben"}, [])
    shutil.rmtree(subs / "carl")
    found = run(two, subs)
    assert found.equal == [] and found.absent == []


def test_the_screen_says_it_in_lines(
    two: FakeRelease, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    subs = two.root.parent / "subs"
    shutil.copytree(subs / "ann", subs / "carl")
    (subs / "ben").rename(subs.parent / "ben")
    two.assignments = [NAME]  # type: ignore[attr-defined]
    monkeypatch.setattr(read, "load_release", lambda *_, **__: two)
    monkeypatch.setattr(pipeline, "grade", lambda *given: grade(*given[:-1], QUICK))
    cli.main(["grade", str(subs), "--release", str(two.root), "--out", str(two.root.parent / "out"), "--quiet"])
    said = capsys.readouterr().out
    assert "the same hand-in from more than one person: ann and carl. This does not prove that anybody copied" in said
    assert "graded before, and not in this export: ben\n" in said
    assert "2 graded, 0 not" in said and "1 new, 0 changed, 1 as before" in said


def test_long_lines_are_cut_with_a_number() -> None:
    assert some([f"s{n}" for n in range(13)]) == "s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 3 more"
    assert some(["ann", "ben"], "; ") == "ann; ben"


def test_what_is_judged_again_is_no_change(two: FakeRelease) -> None:
    path = course_dir(two) / "results" / NAME / "ann.json"
    path.unlink()
    assert run(two, two.root.parent / "subs").news == "0 new, 0 changed, 1 judged again, 1 as before"


CODE = ("comment", "pass", "stub")  # of code alone: in a text, a line with # in front is a heading
EMPTY = {
    "nothing": lambda _: "",
    "lines": lambda _: "\n\n",
    "blanks": lambda _: "  ",
    "tab": lambda _: "\t\n \n",
    "comment": lambda _: "# TODO\n\n# later",
    "pass": lambda _: "pass  # nothing yet",
    "dots": lambda _: "...",
    "around": lambda text: f"\n{text}\n  \n",
    "stub": lambda text: text.replace("raise NotImplementedError", "# raise NotImplementedError") + "\n    pass",
}
SHORT = {
    "name": lambda _: "x",
    "string": lambda _: "'#'",
    "return": lambda text: f"{text}\n    return x",
    "number": lambda _: "0",
}


def of_three(base: Path, change: Any, kinds: tuple[str, ...] = ("answer", "written")) -> None:
    """Two people with one notebook whose answers are changed alike, and one with an answer of her own."""
    given = notebook(hidden=False)
    cells = [
        {**one, "source": change(one["source"]) if one["id"].startswith(kinds) else one["source"]}
        for one in given["cells"]
    ]
    for name in ("carl", "dora"):
        hand_in(base / "subs" / name, {**given, "cells": cells})
    hand_in(base / "subs" / "ann", solved(why="ann"))


@pytest.mark.parametrize("kind", EMPTY)
def test_notebooks_without_a_line_of_an_answer_are_not_named(tmp_path: Path, kind: str) -> None:
    of_three(tmp_path, EMPTY[kind], ("answer",) if kind in CODE else ("answer", "written"))
    assert run(make_release(tmp_path / "release"), tmp_path / "subs").equal == []


def test_a_heading_alone_is_a_written_answer(tmp_path: Path) -> None:
    of_three(tmp_path, lambda _: "# Because of the mask", ("written",))
    assert run(make_release(tmp_path / "release"), tmp_path / "subs").equal == [["carl", "dora"]]


@pytest.mark.parametrize("kind", SHORT)
def test_the_shortest_answers_are_answers(tmp_path: Path, kind: str) -> None:
    of_three(tmp_path, SHORT[kind])
    assert run(make_release(tmp_path / "release"), tmp_path / "subs").equal == [["carl", "dora"]]


def told(people: People, who: str, sha: str, **more: Any) -> None:
    about = {"student": who, "assignment": NAME, "sha256": sha}
    people.apply("intake", {**about, "handed": more.pop("handed", "")})
    people.apply("verdict", {**about, "result": {"verdicts": more.pop("verdicts", [])}, **more})


def test_old_entries_count_where_a_check_found_an_answer() -> None:
    people, given = People(), notebook(hidden=False)
    for who, status in (("a", "unsolved"), ("b", "unsolved"), ("c", "failed"), ("d", "failed")):
        told(
            people,
            who,
            f"sha {status}",
            verdicts=[{"exercise": "x", "status": status}, {"exercise": "y", "status": "unsolved"}],
        )
    assert [one.students for one in equal_handins(people, NAME, given)] == [("c", "d")]


def test_many_who_were_taken_out_take_no_time_with_the_square_of_their_number() -> None:
    """A set that all taken out are looked up in would be built anew for each; so few set operations are counted."""
    people = People()
    for number in range(300):
        told(people, f"s{number}", str(number), answers={"answer-london": str(number)}, handed=str(number))
    for number in range(300):
        people.apply("removed", {"student": f"s{number}", "assignment": NAME})
    hashed = 0

    class Counted(equal._Work):
        def __hash__(self) -> int:
            nonlocal hashed
            hashed += 1
            return super().__hash__()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equal, "_Work", Counted)
        assert equal_handins(people, NAME, notebook(hidden=False)) == []
    assert hashed < 300 * 5


@pytest.mark.parametrize("folder", ["ann", "ben@x.org", "Orr, Ben", "Ben Orr_901_assignsubmission_file_"])
def test_who_may_be_an_entry_that_is_not_understood_is_not_missed(folder: str) -> None:
    people = People()
    for who, name in (("ann", "Ann Lee"), ("ben", "Ben Orr"), ("cat", "Cat Low")):
        people.apply(
            "intake", {"student": who, "assignment": NAME, "sha256": who, "name": name, "email": f"{who}@x.org"}
        )
        people.apply("verdict", {"student": who, "assignment": NAME, "sha256": who, "result": {"verdicts": []}})
    gone = {"ann": "ann"}.get(folder, "ben")
    assert not_here(people, NAME, (), [folder]) == sorted({"ann", "ben", "cat"} - {gone})
    assert not_here(people, NAME, ("cat",)) == ["ann", "ben"]
