"""What is a person's by name: ids, addresses, names in both orders and numbers; and what only looks like it."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from autograder.grading.mentions import Finder, mentions
from autograder.grading.person import Known, Person, person_of
from autograder.grading.traces import places
from autograder.grading.words import Words, distinctive
from autograder.intake.names import is_id, require_id, student_id
from course_utils.errors import CourseError

BEN = {
    "id": "ben",
    "name": "Ben Orr",
    "email": "ben@x.org",
    "canvas_id": "901",
    "moodle_id": "77; 08_x=78",
    "sid": "S-4711",
}
OTHERS = {"ben.x": "Benno Ray", "ann": "Ann Lee", "orr": "Bea Orr"}


def people(**more: str) -> dict[str, Known]:
    found = {who: Known({name}, {f"{who}@y.org"}) for who, name in {**OTHERS, **more}.items()}
    found["ben"] = Known()
    found["ben"].row(BEN)
    return found


def ben(**more: str) -> Person:
    return person_of(frozenset({"ben"}), people(**more))


OWN_NAMES = [
    "ben", "Ben Orr", "ben orr", "Orr, Ben", "BEN_ORR", "orrben_901_4711_notebook.ipynb", "orrben_LATE_901_4711_notebook.ipynb",
    "Ben Orr_77_assignsubmission_file_", "Orr, Ben_78_assignsubmission_file_", "BEN@x.org", "Ben Orr (1).zip", "ben.ipynb",
    "Ben Orr_77_assignsubmission_onlinetext_x.html",
]  # fmt: skip
FOREIGN = [
    "ben.x", "ann", "Bea Orr", "Orr", "bena", "ben-2", "ben_1", "Ann Lee_900_assignsubmission_file_", "benorrx", "",
    "ben.aside", "x.ben", "Bea Orr_55_assignsubmission_file_", "Ben Orr_12345_assignsubmission_file_",
    "orrben_902_4711_notebook.ipynb",
    "Somebody_78_assignsubmission_file_", "somebody_901_4711_notebook.ipynb",
]  # fmt: skip


@pytest.mark.parametrize("name", OWN_NAMES)
def test_a_folder_with_any_name_of_the_person_is_the_persons(name: str) -> None:
    assert ben().owns(name)


@pytest.mark.parametrize("name", FOREIGN)
def test_a_folder_of_somebody_else_is_not(name: str) -> None:
    assert not ben().owns(name)


def test_a_name_or_number_that_two_people_have_is_nobodys_alone() -> None:
    both = ben(b2="Orr, Ben")
    assert not both.owns("Ben Orr") and not both.names and both.owns("ben@x.org")
    assert both.owns("Ben Orr_77_assignsubmission_file_") is False, "a name of two, so the number alone does not tell"
    known = people(zoe="Zoe Zed")
    known["zoe"].number("moodle", "77")
    assert not person_of(frozenset({"ben"}), known).owns("Who_77_assignsubmission_file_")


def test_an_entry_that_names_nobody_is_not_everybodys() -> None:
    one = Person(frozenset({"", "ben"}))
    assert not one.named_by({"exercises": ["x"]}) and not one.named_by({"student": "", "assignment": "a"})
    assert one.named_by({"ids": ["x", "ben"]}) and one.named_by({"came_as": "ben"})
    assert ben().named_by({"item": "Ben Orr_77_assignsubmission_file_"}) and not ben().named_by({"item": "Bea Orr"})
    assert not ben().named_by({"item": "Ben Orr", "student": "ann"}), "it says whose it is"


@pytest.mark.parametrize("text", [
    "Ben Orr", "Orr, Ben", "BEN ORR_901", "mail BEN@x.org.", '"x\\nben@x.org"', "ben%20orr", "Ben&nbsp;Orr", "orrben", "ben_orr",
    "S-4711 has", "\\u0042en Orr",
])  # fmt: skip
def test_words_of_the_person_are_found_in_any_case_order_and_spelling(text: str) -> None:
    assert Finder(ben()).text(text) == "own"


@pytest.mark.parametrize(
    "text", ["Bea Orr", "xben@x.org", "ben@x.orgs", "ben@x.org.uk", "Benno", "benn orr", "bend", "ben.x"]
)
def test_words_of_others_are_not(text: str) -> None:
    assert Finder(ben()).text(text) == ""


def test_a_common_word_may_be_anybody() -> None:
    assert Finder(ben()).text("ben said") == "maybe" and Finder(ben()).text("feedback/ben.html") == "maybe"
    assert not any(map(distinctive, ["a", "1", "grade", "ben", "b2", "901"]))
    assert all(map(distinctive, ["ben@x.org", "ada_lovelace", "s4711x", "1234567"]))


def test_letters_are_found_however_they_are_composed_and_written() -> None:
    known = {"eva": Known({"Eva Ödön O'Brien"})}
    finder = Finder(person_of(frozenset({"eva"}), known))
    spelt = "Eva O\u0308do\u0308n O'Brien"
    for text in (
        spelt,
        json.dumps("Ödön O'Brien, Eva"),
        "Eva &Ouml;d&ouml;n O&#x27;Brien",
        "Eva%20%C3%96d%C3%B6n%20O%27Brien",
    ):
        assert finder.text(text) == "own", text
    for data in (
        spelt.encode("utf-16"),
        "Eva Ödön O'Brien".encode("cp1252"),
        spelt.encode("utf-16-le"),
        spelt.encode("utf-32"),
    ):
        assert "own" in finder.data("x.txt", data), data


def test_reasons_are_looked_through_for_every_part_of_a_name() -> None:
    words = Words(ben())
    for reason in ("Ben asked", "as orr wants", "mail of BEN@X.org", "id ben"):
        assert words.told_in(reason), reason
    assert not words.told_in("a request of a student, bent on it")
    assert not Words(Person(frozenset({"a"}))).told_in("a request"), "an id of one letter is in any sentence"


def zipped(name: str, data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, data)
    return file.getvalue()


def test_files_of_every_kind_are_looked_through(tmp_path: Path) -> None:
    files = {
        "a.zip": zipped("Ben Orr_77_assignfeedback_file_/page.html", b"x"),
        "b.zip": zipped("in.zip", zipped("table.csv", "id,points\nben,3\n".encode("utf-16"))),
        "c.csv": 'sep=;\nStudent;Points\n"Orr, Ben";3\n'.encode("utf-16"),
        "d.json": json.dumps({"students": [{"student": "ben"}]}).encode(),
        "e.csv": b"First name,Family name,x\nBen,Orr,1\n",
        "f.jsonl": b'{"data": {"ids": ["ann", "ben"]}}\n{}\n',
    }
    other = {
        "u.json": json.dumps({"grade": "ben", "cells": [{"source": ["ben"]}]}).encode(),
        "v.csv": b"id,grade\nann,ben\n",
        "w.txt": b"ask ben",
    }
    for name, data in {**files, **other, "x.txt": b"Bea Orr", "broken.zip": b"PK\x03\x04..."}.items():
        (tmp_path / name).write_bytes(data)
    base = sqlite3.connect(tmp_path / "g.db")
    base.execute("CREATE TABLE student (id TEXT, first_name TEXT, last_name TEXT)")
    base.execute("INSERT INTO student VALUES ('x', 'Ben', 'Orr')")
    base.commit()
    base.close()
    found = mentions(ben(), [tmp_path])
    assert [Path(one).name for one in found.own] == [*files, "g.db"]
    assert [Path(one).name for one in found.maybe] == [*other] and found.common == ["77", "78", "901", "ben"]
    assert [Path(one).name for one in found.unread] == ["broken.zip"]


def test_a_file_with_a_common_name_among_the_work_of_somebody_else_is_not_the_persons(tmp_path: Path) -> None:
    for place in ("ann/files/ben.txt", "moved/ben.html"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text("x")
    found = mentions(ben(), [tmp_path])
    assert found.own == [str(tmp_path / "moved/ben.html")] and found.maybe == [str(tmp_path / "ann/files/ben.txt")]


def test_only_whole_names_of_files_are_the_persons(tmp_path: Path) -> None:
    course, out = tmp_path / "course", tmp_path / "out"
    mine = [
        course / "results/n/ben.json", course / "results/n/ben.json.next", course / f"results/n/ben.{'0a' * 8}.aside",
        course / "results/n/.ben.json.ab12_x9z", course / "removed/20270101T000000000000-ben", course / "removed/pages-ben",
        course / "submitted/Orr, Ben", course / "submitted/ben@x.org", course / "intake/n/ben", out / "intake/n/ben",
        out / "feedback/ben.html", out / "answers-7-x/ben.json",
    ]  # fmt: skip
    theirs = [
        course / f"results/n/ben.x.{'0a' * 8}.aside", course / "results/n/ben.x.json", course / "results/n/ben.json.json",
        course / "results/n/ben.0a0a.aside", course / "removed/20270101T000000000000-ann-ben", course / "removed/x-ben",
        course / "submitted/ben.x", out / "feedback/ben.x.html", out / "intake/n/benb", out / "feedback/ben.htm",
    ]  # fmt: skip
    for one in (*mine, *theirs):
        one.mkdir(parents=True)
    assert sorted(places(ben(), [course, out])) == sorted(mine)


NO_IDS = [
    "", ".", "..", "a/b", "/", "a\0b", ".a", "_a", "a\\b", "../..", "ann/", "a b", " a", "x" * 300, "a\n", "e\u0301", "\u2066a",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_IDS)
def test_what_cannot_name_one_file_is_no_id(text: str) -> None:
    assert not is_id(text)
    with pytest.raises(CourseError, match=r"is no id of a student; .*give it as the report has it"):
        require_id(text)


def test_every_id_that_intake_makes_is_one() -> None:
    names = [
        "Müller, Jr",
        "राम",
        "Ben Orr",
        "x" * 500,
        "é" * 200,
        "ben@x.org",
        "..x..",
        "李小龙" * 40,
        "a-b+c",
        "",
        "ขวัญ",
        "1",
    ]
    for name in names:
        assert is_id(student_id(name)) and is_id(f"{student_id(name)[:60]}_{'9' * 18}"), name
        assert is_id(f"{student_id(name, 100)[:60]}_{student_id(name, 60)}"), name
