"""Pictures in written answers are part of the hand-in, though a person looks at them in the original."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.grading.store import open_ledger
from autograder.grading.summary import Summary
from autograder.intake.own import marked
from autograder.intake.rebuild import notebook_sha, read_notebook, rebuild
from autograder.reports.roll import StudentRow, read_roll
from autograder.reports.term import term_path
from tests.autograder.tiny_course import (
    NAME,
    FakeRelease,
    fake_execute,
    graded_class,
    hand_in,
    notebook,
    solved,
    taken,
)

TEXT = "![x](attachment:x.png)"


def drawn(picture: Any, **metadata: Any) -> dict[str, Any]:
    """A notebook whose written answer is a picture; None attaches nothing."""
    book = solved(why=TEXT)
    cell = book["cells"][-1]
    cell["metadata"] = {**cell["metadata"], **metadata}
    if picture is not None:
        cell["attachments"] = {"x.png": {"image/png": picture}}
    return book


def sha(book: dict[str, Any]) -> str:
    built, _ = rebuild(notebook(hidden=False), read_notebook(json.dumps(book).encode(), "x"), "x")
    return notebook_sha(built)


def came(release: FakeRelease, book: dict[str, Any], time: str) -> Summary:
    top = release.root.parent
    folder = top / time.replace(" ", "-") / "submitted"
    hand_in(folder / "eve" / NAME, book)
    (folder / "eve" / NAME / "timestamp.txt").write_text(f"2027-04-{time}:00 UTC")
    return grade(folder, release, top / "out", NAME, Settings(progress=False, execute=fake_execute))


def eve(release: FakeRelease) -> StudentRow:
    return next(one for one in read_roll(release, NAME).students if one.student == "eve")


def test_hand_ins_without_pictures_keep_the_hash_that_they_had() -> None:
    """The hashes are those that version 18a851b gave."""
    assert (sha(solved())[:24], sha(drawn(None))[:24]) == ("1faf441bbf052e09e2b67d0d", "853d88dfd0d02a7105bcaaf0")
    assert notebook_sha(notebook(hidden=False))[:24] == "be7bded9def9fe203f1a3fa5"


def test_the_hash_tells_pictures_apart_and_not_how_they_are_stored() -> None:
    assert len({sha(drawn(one)) for one in (None, "AAAA", "BBBB", 7, ["A"])}) == 5
    assert sha(drawn(["AA", "AA"])) == sha(drawn("AAAA"))
    nested: Any = "A"
    for _ in range(500):
        nested = [nested]
    assert sha(drawn({"a": nested})) != sha(drawn(None))
    for odd in ("text", [1], {"x": "y"}):
        book = solved(why=TEXT)
        book["cells"][-1]["attachments"] = odd
        assert sha(book) != sha(drawn(None))


def test_what_a_hand_in_says_of_pictures_that_it_has_not_is_not_believed(tmp_path: Path) -> None:
    release = FakeRelease(tmp_path)
    built = taken(release, tmp_path, "eve", drawn("BBBB")).notebook["cells"][-1]["metadata"]["autograder"]
    assert sha(drawn(None, autograder=built)) == sha(drawn(None)) != sha(drawn("BBBB"))


@pytest.fixture
def term(tmp_path: Path) -> FakeRelease:
    release = graded_class(tmp_path)
    term_path(release).write_text(f'[late]\nkeep = [[72, 0.5]]\n[due]\n"{NAME}" = 2027-04-20T23:59:00\n')
    return release


def test_a_picture_that_is_changed_after_the_due_time_is_late(term: FakeRelease, tmp_path: Path) -> None:
    came(term, drawn("AAAA"), "19 10:00")
    assert (eve(term).share, eve(term).attempts) == (1.0, 1)
    entry = {"student": "eve", "assignment": NAME, "cell": "written-why", "points": 0.5, "extra": None}
    open_ledger(term).append("mark", **entry, comment=None, review=False, by="me")
    assert eve(term).waiting == 0
    came(term, drawn("AAAA"), "21 10:00")
    assert (eve(term).share, eve(term).attempts, eve(term).waiting) == (1.0, 1, 0), "the same once more"
    came(term, drawn("BBBB"), "22 10:00")
    row = eve(term)
    assert (row.share, row.attempts, row.received[:10]) == (0.5, 2, "2027-04-22")
    assert row.waiting, "the points were given for another picture"


def test_the_graders_copy_of_a_hand_in_with_a_picture_is_none(term: FakeRelease, tmp_path: Path) -> None:
    came(term, drawn("AAAA"), "19 10:00")
    count = len(list(open_ledger(term)))
    folder = term.root / "instructor" / "submitted"
    found = grade(folder, term, tmp_path / "out", NAME, Settings(progress=False, execute=fake_execute))
    assert {one.state for one in found.outcomes} == {"unchanged"} and len(list(open_ledger(term))) == count
    assert "attachments" not in marked(taken(term, tmp_path, "eve", drawn("AAAA")).notebook, "x", b"k")["cells"][-1]


def test_a_copy_with_another_picture_is_a_hand_in(term: FakeRelease, tmp_path: Path) -> None:
    came(term, drawn("AAAA"), "19 10:00")
    book = next((term.root / "instructor" / "submitted").rglob("*.ipynb"))
    copy = json.loads(book.read_text())
    copy["cells"][-1]["attachments"] = drawn("BBBB")["cells"][-1]["attachments"]
    book.write_text(json.dumps(copy))
    count = len(list(open_ledger(term)))
    folder = term.root / "instructor" / "submitted"
    found = grade(folder, term, tmp_path / "out", NAME, Settings(progress=False, execute=fake_execute))
    assert "graded" in {one.state for one in found.outcomes} and len(list(open_ledger(term))) > count
