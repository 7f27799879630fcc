"""What an erasure must not touch, since it is or may be somebody else's; and what it must name, since it may be the person's."""

from __future__ import annotations

import gzip
import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from autograder.grading.erasing import erase
from autograder.grading.mentions import Finder, mentions
from autograder.grading.person import Known, Person, person_of
from autograder.grading.removal import remove
from autograder.grading.store import course_dir, open_ledger
from autograder.grading.summary import not_here
from autograder.grading.traces import places
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, FakeRelease, graded_class

LIST = "id,name,email\nann,Ann Lee,ann@x.org\n"


@pytest.fixture
def two(tmp_path: Path) -> FakeRelease:
    """Ann and ben, graded; ben is on the earlier class list."""
    release = graded_class(tmp_path)
    (course_dir(release) / "roster.csv").write_text(LIST)
    (course_dir(release) / "roster.csv.before-1").write_text(LIST + "ben,Ben Orr,ben@x.org\n")
    return release


def erased(release: FakeRelease, who: str = "ben") -> Any:
    return erase(release, who, "a request", "T", release.root.parent / "out")


def person(name: str, *others: str, who: str = "ben", **more: str) -> Person:
    """Somebody with a name, beside people with other names."""
    people = {f"o{number}": Known({one}) for number, one in enumerate(others)}
    people[who] = Known()
    people[who].row({"id": who, "name": name, **more})
    return person_of(frozenset({who}), people)


# ---- numbers ---------------------------------------------------------------------------------------------------------

MOODLE = "_assignsubmission_file_"


@pytest.mark.parametrize(
    ("entry", "assignment", "mine"),
    [
        ("Ben Orr_901", "07_x", True),
        ("Ben Orr_901", "08_y", False),  # in 08 the number is another one
        ("Ben Orr_902", "08_y", True),
        ("Ben Orr_903", "09_z", True),  # the number for all that have none of their own
        ("Ben Orr_903", "07_x", False),
        ("Ben Orr_903", "", True),
        ("Ben Orr_904", "", False),
        ("Catherine Low_901", "07_x", False),  # the number alone is not enough
        ("Catherine Low_901", "08_y", False),
        ("Ben Orr_905", "08_y", False),
    ],
)
def test_a_number_counts_in_its_assignment_and_only_with_the_name(entry: str, assignment: str, mine: bool) -> None:
    one = person("Ben Orr", "Cat Low", moodle_id="903; 07_x=901; 08_y=902")
    assert one.owns(entry + MOODLE, assignment) is mine
    assert one.named_by({"item": entry + MOODLE, "assignment": assignment}) is mine


def test_a_number_of_somebody_else_in_this_assignment_excludes() -> None:
    people = {"ben": Known({"Ben Orr"}), "cat": Known({"Cat Low"})}
    people["cat"].number("moodle", "901", "08_y")
    one = person_of(frozenset({"ben"}), people)
    assert [one.owns(f"Ben Orr_901{MOODLE}", name) for name in ("07_x", "08_y", "")] == [True, False, False]


def test_a_namesake_with_another_number_keeps_work_and_entry(two: FakeRelease) -> None:
    ledger = open_ledger(two)
    ledger.append("intake", student="ben", assignment=NAME, name="Ben Orr", platform="canvas", lms_id="901", sha256="")
    mine, other = "orrben_901_2_x.ipynb", "orrben_960_3_x.ipynb"
    for item in (mine, other):
        ledger.append("refused", item=item, assignment=NAME, reason="of nobody", source="/x")
    for item in (mine, other):
        (course_dir(two) / "submitted" / item / NAME).mkdir(parents=True)
    erased(two)
    assert [one.data["item"] for one in open_ledger(two) if one.kind == "refused"] == [other]
    assert (course_dir(two) / "submitted" / other).exists() and not (course_dir(two) / "submitted" / mine).exists()


def test_waiting_work_of_another_assignment_with_the_number_stays(two: FakeRelease) -> None:
    (course_dir(two) / "roster.csv.before-2").write_text("id,name,moodle_id\nben,Ben Orr,07_knowledge=901\n")
    theirs = course_dir(two) / "submitted" / f"Ben Orr_901{MOODLE}" / "08_other"
    theirs.mkdir(parents=True)
    (course_dir(two) / "roster.csv.before-3").write_text("id,name,moodle_id\ncat,Cat Low,08_other=901\n")
    erased(two)
    assert theirs.exists()


def test_a_namesake_with_another_number_does_not_hide_who_is_missing() -> None:
    from autograder.grading.identities import People

    people = People()
    about = {"student": "ben", "assignment": NAME, "sha256": "b"}
    people.apply("intake", {**about, "name": "Ben Orr", "platform": "canvas", "lms_id": "901"})
    people.apply("verdict", {**about, "result": {"verdicts": []}})
    assert not_here(people, NAME, (), ["orrben_960_3_x.ipynb"]) == ["ben"]
    assert not_here(people, NAME, (), ["orrben_901_3_x.ipynb"]) == []


@pytest.mark.parametrize("name", ["Ben Orr", "Li Na"])
def test_a_namesake_with_another_number_is_named_as_what_may_be_the_person(name: str) -> None:
    last_first = "".join(reversed(name.lower().split()))
    finder = Finder(person(name, "Cat Low", canvas_id="901", moodle_id="07_x=902"))
    for entry, said in ((f"{last_first}_{{}}_4_x.ipynb", "901"), (f"{name}_{{}}_assignsubmission_file_", "902")):
        assert [finder.text(f"- {entry.format(one)} -") for one in (said, "960")] == ["own", "maybe"]
    assert finder.text(f"{last_first}_LATE_960_4_x.ipynb and {name}") == "own"
    assert Finder(person(name, "Cat Low")).text(f"{last_first}_960_4_x.ipynb") == "own", "no number is known"


def test_an_id_in_other_capitals_is_another_id() -> None:
    one = person_of(frozenset({"ben"}), {"ben": Known(), "Ben": Known()})
    assert one.owns("ben") and not one.owns("Ben") and not one.owns("BEN") and one.owns("ben.zip")


# ---- what is said of others ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        ("Li Na", "Lina"),
        ("Jo Anna Smith", "Joanna Smith"),
        ("राम शर्मा", "रीम शर्मा"),
        ("James Thomas", "Thomas James"),
        ("Li Na", "Li Na Wang"),
        ("Ben Orr", "Ben Orr Jr"),
        ("นที ดี", "นาที ดี"),
    ],
)
def test_names_that_run_together_or_begin_alike_are_apart(two: FakeRelease, mine: str, other: str) -> None:
    course, out = course_dir(two), two.root.parent / "out"
    (course / "roster.csv").write_text(LIST + f"cat,{other},cat@x.org\n")
    (course / "roster.csv.before-1").write_text(LIST + f"ben,{mine},ben@x.org\ncat,{other},cat@x.org\n")
    theirs = course / "submitted" / other / NAME
    theirs.mkdir(parents=True)
    (theirs / "x.txt").write_text(f"I am {other}.")
    summary = out / f"{NAME}.json"
    data = json.loads(summary.read_text())
    notes = [f"{other}: a later hand-in waits", "cat: late", f"ask {mine} and cat", "ben and cat: late"]
    groups = [["ann", "ben", "cat"], ["ann", "ben"], ["ann", "cat"]]
    summary.write_text(json.dumps(data | {"notes": [*notes, "ben: late"], "equal": groups, "left": ["cat", "ben"]}))
    done = erased(two)
    after = json.loads(summary.read_text())
    assert after["notes"] == notes and after["left"] == ["cat"]
    assert after["equal"] == [["ann", "cat"], ["ann", "cat"]]
    assert theirs.exists() and not [one for one in done.left if one.startswith(str(theirs))]
    assert str(summary) in [*done.left, *done.mentions.maybe], "it names the person still, and is named"


def test_a_first_name_that_is_the_id_names_nobody(two: FakeRelease) -> None:
    with closing(sqlite3.connect(course_dir(two) / "gradebook.db")) as book, book:
        book.execute("INSERT INTO student (id, first_name, last_name) VALUES ('u77', 'Ben', 'Smith')")
        book.execute("INSERT INTO student (id, first_name, last_name) VALUES ('u78', 'Zoe', 'Ben')")
    (two.root.parent / "out" / "grades.csv").write_text("id,First name,Last name\nu77,Ben,Smith\n")
    assert erased(two).left == []


# ---- what is named ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "letter-b1234567.pdf", "b1234567_letter.pdf", "b1234567-2.pdf", "b1234567.final.pdf", "07_b1234567", "Ben_Orr_07.pdf",
        "BenOrr07.pdf", "07BenOrr.txt", "Ben Orr's mail.txt", "orr-ben(2).txt",
    ],
)  # fmt: skip
def test_ids_and_names_are_found_beside_signs_and_digits(name: str) -> None:
    finder = Finder(person("Ben Orr", "Cat Low", who="b1234567"))
    assert finder.text(name) == "own" and finder.text(f"see {name}, please") == "own"


@pytest.mark.parametrize("text", ["Ben Orrs mail", "letterBenOrr", "with Ben Orrin", "mail of BenOrrs"])
def test_names_inside_longer_words_may_be_the_persons(text: str) -> None:
    assert Finder(person("Ben Orr", "Cat Low")).text(text) == "maybe"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("王 小明", "学生王小明交了作业"),
        ("王小明", "学生王小明交了作业"),
        ("王明", "学生王明交了作业"),
        ("สมชาย ใจดี", "นายสมชายใจดีส่งงาน"),
        ("김 민수", "김민수는 과제를 냈다"),
        ("山田 太郎", "山田太郎さんへ"),
    ],
)
def test_scripts_without_blanks_are_looked_through(name: str, text: str) -> None:
    assert Finder(person(name, "Cat Low")).text(text) == "maybe"
    assert Finder(person("Cat Low", name)).text(text) == ""


@pytest.mark.parametrize("other", ["Thomas James", "Thomas, James", "JamesThomas", "james_thomas"])
def test_a_name_that_somebody_else_has_in_any_order_is_named(other: str) -> None:
    one = person("James Thomas", other)
    assert not one.names and not one.owns("James Thomas") and Finder(one).text("James Thomas was ill") == "maybe"


def test_an_id_within_the_id_of_somebody_else_names_nobody() -> None:
    people = {"s12345": Known(), "s12345-2": Known(), "x.s12345": Known()}
    finder = Finder(person_of(frozenset({"s12345"}), people))
    assert [finder.text(one) for one in ("s12345-2 was ill", "x.s12345.html", "s12345-3")] == ["", "", "own"]


def test_what_is_packed_is_named_as_not_looked_through(tmp_path: Path) -> None:
    text = b"id,name\nben,Ben Orr\n"
    files = {
        "a.csv.gz": gzip.compress(text),
        "b.tar.xz": b"\xfd7zXZ\0...",
        "c.7z": b"7z\xbc\xaf\x27\x1c",
        "d.bz2": b"BZh91AY",
        "e.rar": b"Rar!\x1a\x07",
        "f.zst": b"\x28\xb5\x2f\xfd",
        "g.pdf": b"%PDF-1.7",
        "h.doc": b"\xd0\xcf\x11\xe0",
        "i.bin": gzip.compress(b"x"),
    }
    for name, data in {**files, "z.csv": text}.items():
        (tmp_path / name).write_bytes(data)
    found = mentions(person("Ben Orr"), [tmp_path])
    assert [Path(one).name for one in found.unread] == [*files] and [Path(one).name for one in found.own] == ["z.csv"]


def test_what_else_is_in_a_zip_with_something_packed_is_looked_through(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("0.pdf", b"%PDF-1.7")
        archive.writestr("1.csv", b"id,name\nben,Ben Orr\n")
    found = mentions(person("Ben Orr"), [tmp_path])
    assert found.own == found.unread == [str(tmp_path / "a.zip")]


def test_a_column_of_ids_has_the_very_id(tmp_path: Path) -> None:
    for name, text in (("a.csv", "id,points\nBen,3\n"), ("b.json", '[{"student": "Ben"}]'), ("c.csv", "id\nBEN\n")):
        (tmp_path / name).write_text(text)
    one = person_of(frozenset({"ben"}), {"ben": Known(), "Ben": Known()})
    assert mentions(one, [tmp_path]).own == [str(tmp_path / "c.csv")]


def test_a_name_is_found_at_any_place_of_a_long_text() -> None:
    finder = Finder(person("Ben Orr", "Ben Orr Jr"))
    for gap in (0, 1, 499, 500, 501, 5000):
        text = "ben " * gap + "x" * gap + " orr, ben " + "." * gap + "benorr " * (gap % 3)
        assert finder.text(text) == "own", gap
        assert finder.text(f"{'ben ' * gap}{'x' * gap} Ben Orr Jr {'orr, ' * gap}") in ("", "maybe"), gap


# ---- a gradebook that is in use --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
@pytest.mark.parametrize("command", ["erase", "remove"])
def test_a_gradebook_that_another_program_has_open_ends_with_one_sentence(
    two: FakeRelease, command: str, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    def give() -> Any:
        return erased(two) if command == "erase" else remove(two, NAME, "ben", "left", "T")

    with closing(sqlite3.connect(course_dir(two) / "gradebook.db", isolation_level=None)) as other:
        other.execute(f"PRAGMA journal_mode = {mode}")
        other.execute("BEGIN IMMEDIATE" if mode == "WAL" else "BEGIN")
        other.execute("SELECT * FROM student").fetchall()
        with pytest.raises(CourseError, match=r"gradebook\.db: cannot be .*; close other programs"):
            give()
        assert caplog.text == "", "no traceback in a log"
        other.execute("ROLLBACK")
    give()


def test_other_folders_are_listed_with_their_assignment(tmp_path: Path) -> None:
    one = person("Ben Orr", "Cat Low", moodle_id="07_x=901; 08_y=902")
    course, out = tmp_path / "course", tmp_path / "out"
    mine = [course / f"submitted/Ben Orr_901{MOODLE}", out / f"intake/08_y/Ben Orr_902{MOODLE}"]
    (mine[0] / "07_x").mkdir(parents=True)
    mine[1].mkdir(parents=True)
    (course / f"submitted/Ben Orr_902{MOODLE}/07_x").mkdir(parents=True)
    (out / f"intake/08_y/Ben Orr_901{MOODLE}").mkdir(parents=True)
    assert sorted(places(one, [course, out])) == mine
