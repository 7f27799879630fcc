"""A person is erased: no file of the release names the person, the chain of the ledger is sound, all others are as before."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.grading.entering import override_student, rebuild_gradebook
from autograder.grading.erasing import erase
from autograder.grading.merging import merge, part
from autograder.grading.pipeline import grade
from autograder.grading.regrade import Decision
from autograder.grading.removal import remove
from autograder.grading.repair import changed_marks, changed_results
from autograder.grading.settings import Settings
from autograder.grading.store import copy_path, course_dir, open_ledger
from autograder.grading.traces import Person
from autograder.release import read
from autograder.reports.class_report import class_report
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, graded_class, hand_in, solved

LIST = "id,name,email\nann,Ann Lee,ann@x.org\n"
BEN = "ben,Benno Ödön,ben@x.org\n"
WHY = Decision("two accounts", "T")


@pytest.fixture
def two(tmp_path: Path) -> FakeRelease:
    """Ann and ben, graded, with a page and a report; ben is on the earlier class list, ann on both."""
    release = graded_class(tmp_path)
    (course_dir(release) / "roster.csv").write_text(LIST)
    (course_dir(release) / "roster.csv.before-1").write_text(LIST + BEN)
    override_student(release, NAME, "ben", "london", 1.5, "Ben asked", "T")
    class_report(release, NAME, tmp_path / "out" / "report")
    return release


def erased(release: FakeRelease, who: str = "ben") -> Any:
    return erase(release, who, "a request", "T", release.root.parent / "out")


def sound(release: FakeRelease) -> bool:
    open_ledger(release).verify()
    same = copy_path(release).read_bytes() == (course_dir(release) / "ledger.jsonl").read_bytes()
    return same and not changed_results(release) and not changed_marks(release)


def naming(base: Path, *words: str) -> list[Path]:
    """Files whose name or text has one of the words."""
    paths = [path for path in base.rglob("*") if path.is_file() and "subs" not in path.parts]
    found = [path for path in paths for word in words if word in str(path) or word.encode() in path.read_bytes()]
    return sorted(set(found))


def test_nothing_of_the_person_is_left_and_all_others_stay(two: FakeRelease) -> None:
    base, course = two.root.parent, course_dir(two)
    before = (course / "results" / NAME / "ann.json").read_bytes()
    points = open_ledger(two).standings()[(NAME, "ann")].points
    assert len(naming(base, '"ben"', "ben@x.org", "Benno", "/ben")) > 5
    done = erased(two)
    assert done.entries > 3 and done.left == [] and done.head == open_ledger(two).verify()[1]
    assert naming(base, '"ben"', "ben@x.org", "Benno", "/ben", "Ben asked", "x + 0.5") == []
    assert sound(two) and (course / "results" / NAME / "ann.json").read_bytes() == before
    assert open_ledger(two).standings().keys() == {(NAME, "ann")}
    assert open_ledger(two).standings()[(NAME, "ann")].points == points
    assert (course / "roster.csv.before-1").read_text() == LIST
    emptied = [entry.data for entry in open_ledger(two) if entry.kind == "erased"]
    assert all(set(data) == {"was"} for data in emptied[:-1]) and emptied[-1]["entries"] == len(emptied) - 1
    assert rebuild_gradebook(two, progress=False) == [] and sound(two)


def test_the_person_may_come_again_as_somebody_new(two: FakeRelease) -> None:
    erased(two)
    how = Settings(progress=False, execute=fake_execute)
    found = grade(two.root.parent / "subs", two, two.root.parent / "out", NAME, how)
    assert found.exit_code == 0 and found.news == "1 new, 0 changed, 1 as before" and sound(two)


def test_who_was_taken_out_or_refused_before_is_erased_too(two: FakeRelease) -> None:
    remove(two, NAME, "ben", "left", "T")
    assert naming(two.root, '"ben"')
    assert erased(two).left == [] and naming(two.root, '"ben"', "-ben", "Benno") == [] and sound(two)


def test_who_is_on_the_class_list_is_not_erased(two: FakeRelease) -> None:
    before = (course_dir(two) / "ledger.jsonl").read_bytes()
    with pytest.raises(Exception, match=r"ann: is on the class list; .*term roster, then give this command again"):
        erased(two, "ann")
    with pytest.raises(Exception, match="zoe: nothing of this id is in the ledger"):
        erased(two, "zoe")
    assert (course_dir(two) / "ledger.jsonl").read_bytes() == before and sound(two)


def test_who_is_only_on_an_earlier_class_list_is_erased(two: FakeRelease) -> None:
    (course_dir(two) / "roster.csv.before-2").write_text("id;name\r\nann;Ann\r\neva;Eva Sol\r\nzoe;Zoe\r\n")
    done = erased(two, "eva")
    assert done.entries == 0 and naming(two.root, "eva;", "Eva Sol") == [] and sound(two)
    assert (course_dir(two) / "roster.csv.before-2").read_bytes() == b"id;name\r\nann;Ann\r\nzoe;Zoe\r\n"


@pytest.mark.parametrize("step", [1, 2])
def test_an_erasure_that_is_killed_is_finished_by_the_same_command(
    two: FakeRelease, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, turn = Path.replace, []

    def replace(path: Path, target: Path) -> Any:
        if path.name.endswith(".erased"):
            turn.append(path)
            if len(turn) == step:
                raise KeyboardInterrupt
        return real(path, target)

    with monkeypatch.context() as kill:
        kill.setattr(Path, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            erased(two)
    with pytest.raises(Exception, match="nothing of this id"):
        erased(two)
    assert sound(two) and naming(two.root, '"ben"', "Benno") == []


def test_a_gradebook_that_is_held_ends_it_with_a_sound_ledger(two: FakeRelease) -> None:
    with closing(sqlite3.connect(course_dir(two) / "gradebook.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Exception, match=r"gradebook\.db: .*close other programs"):
            erased(two)
        other.execute("ROLLBACK")
    assert sound(two) and (NAME, "ben") in open_ledger(two).standings()
    assert erased(two).left == []


def test_all_ids_of_a_person_are_erased_and_parted_ones_are_not(two: FakeRelease) -> None:
    base = two.root.parent
    hand_in(base / "subs" / "b2", solved("return x", "return x"))
    grade(base / "subs", two, base / "out", NAME, Settings(progress=False, execute=fake_execute))
    merge(two, "ben", "b2", WHY, {NAME: "ben"}, [])
    part(two, "ben", "b2", WHY, {})
    with pytest.raises(Exception, match="merged and parted again"):
        erased(two)
    merge(two, "ben", "b2", WHY, {NAME: "ben"}, [])
    assert erased(two, "b2").person.ids == {"ben", "b2"} and sound(two)
    assert naming(base, '"ben"', '"b2"', "/b2", "Benno") == []


def test_what_still_names_the_person_is_said(
    two: FakeRelease, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = two.root.parent / "out"
    (out / "grades.csv").write_text("id,points\nben,3\n")
    (out / "other.txt").write_text("bend, benno, x.ben@y.org, Ben")
    monkeypatch.setattr(read, "load_release", lambda *_, **__: two)
    where = ("--release", str(two.root), "--out", str(out))
    assert cli.main(["remove", "ben", *where, "--erase", "--reason", "a request"]) == 1
    said = capsys.readouterr().out
    assert f"still stands in {out / 'grades.csv'}: look at it" in said and "other.txt" not in said
    assert "a head that you noted before holds no more" in said and "backups" in said and "platform" in said


@pytest.mark.parametrize("text", ["ben", '"ben"', "x\\nben said", "/ben/", "Ben\\u00f6", "ben: 3", "mail ben@x.org."])
def test_words_are_found_where_they_stand_alone(text: str) -> None:
    words = Person(frozenset({"ben"}), frozenset({"ben", "Benö", "ben@x.org"})).pattern()
    assert words.search(text) and not words.search("bend beN x.ben ben@y.org a-ben")
