"""A person is erased: no file of the release names the person, the chain of the ledger is sound, all others are as before."""

from __future__ import annotations

import json
import shutil
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
from autograder.release import read
from autograder.reports.class_report import class_report
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, graded_class, hand_in, make_release, solved

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
    (out / "other.txt").write_text("bend, benno, x.ben@y.org")
    monkeypatch.setattr(read, "load_release", lambda *_, **__: two)
    where = ("--release", str(two.root), "--out", str(out))
    assert cli.main(["remove", "ben", *where, "--erase", "--reason", "a request"]) == 1
    said = capsys.readouterr().out
    assert f"still stands in {out / 'grades.csv'}: look at it" in said and "other.txt" not in said
    assert "a head that you noted before holds no more" in said and "backups" in said and "platform" in said


@pytest.mark.parametrize(
    "who", ["", ".", "..", "../..", "../../..", "ann/", f"ann/{NAME}", "/", "ann\0", ".hidden", "a b"]
)
def test_what_is_no_id_is_refused_before_anything_is_touched(
    two: FakeRelease, who: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "load_release", lambda *_, **__: two)
    two.assignments = [NAME]  # type: ignore[attr-defined]
    base, where = two.root.parent, ("--release", str(two.root), "--reason", "x")
    before = {path: path.stat().st_mtime_ns for path in base.rglob("*")}
    for command in (
        ["remove", who, *where, "--erase"],
        ["override", who, "london", "1", *where],
        ["merge", who, "ann", *where],
        ["merge", "ann", who, *where],
        ["merge", who, "ann", *where, "--undo"],
    ):
        assert cli.main(command) == 2, command
        assert capsys.readouterr().err.startswith("error: "), command
    with pytest.raises(Exception, match="is no id of a student"):
        remove(two, NAME, who, "x", "T")
    after = {path: path.stat().st_mtime_ns for path in base.rglob("*") if path.name != ".grading.lock"}
    assert after.items() <= before.items()


def test_nothing_is_deleted_behind_a_link(two: FakeRelease, tmp_path: Path) -> None:
    course = course_dir(two)
    away = tmp_path / "away"
    (course / "autograded").rename(away)
    (course / "autograded").symlink_to(away)
    with pytest.raises(
        Exception, match=r"autograded/ben: lies in .*away, out of the release, since a folder above it is a link"
    ):
        erased(two)
    assert (away / "ben").exists() and (course / "submitted" / "ben").exists(), "nothing else was deleted before"
    (course / "autograded").unlink()
    shutil.rmtree(course / "submitted" / "ben")
    (course / "submitted" / "ben").symlink_to(away)
    assert erased(two).left == [] and away.exists() and not (course / "submitted" / "ben").is_symlink()


def test_hand_ins_under_an_address_or_a_name_are_the_persons(two: FakeRelease) -> None:
    inbox = course_dir(two) / "submitted"
    for name in ("ben@x.org", "Ödön, Benno", "Benno_Ödön", "BEN@x.org", "Benno Ödön_901_assignsubmission_file_"):
        hand_in(inbox / name / NAME, solved(why="secretly"))
    hand_in(inbox / "Bea Ödön" / NAME)
    assert erased(two).left == [] and sorted(one.name for one in inbox.iterdir()) == ["Bea Ödön", "ann"]


def test_entries_of_a_folder_that_nobody_understood_are_emptied_too(two: FakeRelease) -> None:
    ledger, where = open_ledger(two), {"assignment": NAME, "source": "/x"}
    mine, other = "Benno Ödön_901_assignsubmission_file_", "Bea Ray_902_assignsubmission_file_"
    for item in (mine, other, "ben.zip"):
        ledger.append("refused", item=item, reason="is of nobody", **where)
    assert erased(two).left == []
    assert [entry.data["item"] for entry in open_ledger(two) if entry.kind == "refused"] == [other]
    assert naming(two.root, "Benno", "ben.zip") == [] and sound(two)


def test_who_is_in_the_gradebook_alone_is_known_and_taken_out(two: FakeRelease) -> None:
    for who in ("eva", "ann"):
        with closing(sqlite3.connect(course_dir(two) / "gradebook.db")) as book, book:
            words = "INSERT OR IGNORE INTO student (id, first_name, last_name, email) VALUES (?, 'Eva', 'Solberg', 'e@x.org')"
            book.execute(words, (who,))
    done = erased(two, "eva")
    assert done.left == [] and done.entries == 0 and naming(two.root, "Solberg", "e@x.org") == []
    with closing(sqlite3.connect(course_dir(two) / "gradebook.db")) as book:
        assert book.execute("SELECT id FROM student ORDER BY id").fetchall() == [("ann",), ("ben",)]


def test_a_gradebook_with_a_journal_that_another_program_has_open_is_packed(two: FakeRelease) -> None:
    gradebook = course_dir(two) / "gradebook.db"
    with closing(sqlite3.connect(gradebook, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("SELECT count(*) FROM student").fetchall()
        other.execute("UPDATE student SET first_name = 'Benno', last_name = 'Solberg' WHERE id = 'ben'")
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM student").fetchall()
        with pytest.raises(Exception, match=r"gradebook\.db: cannot be packed \(.*close other programs"):
            erased(two)
        other.execute("COMMIT")
        assert erased(two).left == [] and naming(two.root, "Solberg") == []
    assert {one.name for one in course_dir(two).glob("gradebook.db*")} == {"gradebook.db", "gradebook.db.kept"}


@pytest.mark.parametrize("reason", ["Benno asked", "ben", "for BEN@X.org", "Ödön, Benno left", "mr. ödön"])
def test_a_reason_that_names_the_person_is_refused_beforehand(two: FakeRelease, reason: str) -> None:
    before = {
        path: path.read_bytes() for path in two.root.rglob("*") if path.is_file() and path.name != ".grading.lock"
    }
    with pytest.raises(Exception, match=r"the reason holds .* may name the person, .*write one without it"):
        erase(two, "ben", reason, "T", two.root.parent / "out")
    assert all(path.read_bytes() == data for path, data in before.items())


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "utf-16"])
def test_of_an_earlier_list_just_the_persons_line_goes(two: FakeRelease, end: str, code: str) -> None:
    path = course_dir(two) / "roster.csv.before-2"
    rows = ["sep=;", "id;name", "ann;Ann", "zoe;Zoe\u2028Ray", "eva;Eva Sol", '"cat";"Cat"', ""]
    path.write_bytes(end.join(rows).encode(code))
    mixed = course_dir(two) / "roster.csv.before-3"
    mixed.write_bytes(b"id,name\rann,Ann\neva,Eva Sol\r\ncat,Cat\n")
    assert erased(two, "eva").left == []
    assert path.read_bytes() == end.join([row for row in rows if "Eva" not in row]).encode(code)
    assert mixed.read_bytes() == b"id,name\rann,Ann\ncat,Cat\n"


def test_results_of_an_id_that_begins_alike_stay(tmp_path: Path) -> None:
    release, out = make_release(tmp_path / "release"), tmp_path / "out"
    quick = Settings(progress=False, execute=fake_execute)
    for who, answer in (("ann", "return x"), ("ann.b", "return x + 1"), ("x", "return x + 0.5")):
        hand_in(tmp_path / "subs" / who, solved(answer))
    grade(tmp_path / "subs", release, out, NAME, quick)
    merge(release, "ann.b", "x", WHY, {NAME: "ann.b"}, [])
    shutil.rmtree(tmp_path / "subs")
    hand_in(tmp_path / "subs" / "x", solved(why="newer"))
    grade(tmp_path / "subs", release, out, NAME, quick)
    kept = sorted((course_dir(release) / "results" / NAME).glob("ann.b.*"))
    assert len(kept) == 2
    done = erased(release, "ann")
    assert done.left == [] and [one for one in kept if not one.exists()] == []
    part(release, "ann.b", "x", WHY, {})
    assert sound(release)


@pytest.mark.parametrize("who", ["a", "grade", "1", "return"])
def test_an_id_that_is_a_common_word_is_erased_with_exit_code_0(
    two: FakeRelease, who: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = two.root.parent
    hand_in(base / "subs" / who, solved("return x + 0.5", why="a 1 grade return"))
    hand_in(base / "subs" / "zoe", solved("return a", why="a 1 grade return"))
    grade(base / "subs", two, base / "out", NAME, Settings(progress=False, execute=fake_execute))
    summary = base / "out" / f"{NAME}.json"
    data = json.loads(summary.read_text())
    line = f"zoe: a {who} later hand-in"
    summary.write_text(
        json.dumps(data | {"notes": [line, f"{who}: mine"], "left": ["zoe", who], "equal": [["zoe", "q"], [who, "q"]]})
    )
    points = open_ledger(two).standings()[(NAME, "zoe")].points
    monkeypatch.setattr(read, "load_release", lambda *_, **__: two)
    give = ["remove", who, "--release", str(two.root), "--out", str(base / "out"), "--erase", "--reason", "on request"]
    assert cli.main(give) == 0
    said = capsys.readouterr().out
    assert "still stands" not in said
    assert said.count("words that may be this person, or somebody or anything else (") == 1
    after = json.loads(summary.read_text())
    assert (after["notes"], after["left"], after["equal"]) == ([line], ["zoe"], [["zoe", "q"]])
    assert sorted(one["student"] for one in after["outcomes"]) == ["ann", "ben", "zoe"]
    assert open_ledger(two).standings()[(NAME, "zoe")].points == points and sound(two)
