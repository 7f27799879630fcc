"""An erasure that is cut short: no other command writes until the same command has finished it, from its start."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.grading import begun as begun_module
from autograder.grading import erasing
from autograder.grading.begun import Begun, ErasureBegun, Files, unfinished
from autograder.grading.copies import LedgerError, note_end
from autograder.grading.entering import override_student
from autograder.grading.erasing import erase
from autograder.grading.lock import alone
from autograder.grading.pipeline import grade
from autograder.grading.repair import restore
from autograder.grading.settings import Settings
from autograder.grading.store import copy_path, course_dir, ledger_files, open_ledger
from autograder.release import read
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, graded_class

LIST = "id,name,email\nann,Ann Lee,ann@x.org\n"
BEN = "ben,Benno Odon,ben@x.org\n"
STEPS = ["_take_out", "delete_files", "replace", "note_end", "ledger", "earlier_lists", "keep", "mentions"]
WORDS = "an erasure of ben was begun and is not finished; finish it with: python -m autograder remove ben"


@pytest.fixture
def two(tmp_path: Path) -> FakeRelease:
    """Ann and ben, graded; ben is on the earlier class list."""
    release = graded_class(tmp_path)
    (course_dir(release) / "roster.csv").write_text(LIST)
    (course_dir(release) / "roster.csv.before-1").write_text(LIST + BEN)
    override_student(release, NAME, "ann", "london", 1.0, "generous", "T")
    return release


def erased(release: FakeRelease, who: str = "ben", reason: str = "a request") -> Any:
    return erase(release, who, reason, "T", release.root.parent / "out")


def both(release: FakeRelease) -> list[bytes]:
    return [path.read_bytes() for path in (course_dir(release) / "ledger.jsonl", copy_path(release))]


def tree(release: FakeRelease) -> dict[Path, bytes]:
    """All files of a release and of the folder of reports, but for the lock."""
    found = {path: path.read_bytes() for path in release.root.parent.rglob("*") if path.is_file()}
    return {path: data for path, data in found.items() if path.name != ".grading.lock"}


def halt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def killed(release: FakeRelease, at: str, patch: pytest.MonkeyPatch, who: str = "ben") -> None:
    """An erasure that ends before a step; nothing of it cleans up, so that it is as after SIGKILL."""
    real: Callable[..., Any] = begun_module.write_atomically
    if at == "earlier_lists":  # people are read from them before anything is written
        before = erasing.open_ledger
        seen: list[Any] = []

        def opened(one: Any) -> Any:
            seen.append(ledger_files(one).record.exists() and _done(release))
            return halt() if seen[-1] else before(one)

    def written(path: Path, data: str | bytes) -> None:
        halt() if path.name == "ledger.jsonl" else real(path, data)

    with patch.context() as now, pytest.raises(KeyboardInterrupt):
        if at == "ledger":
            now.setattr(begun_module, "write_atomically", written)
        elif at == "earlier_lists":
            now.setattr(erasing, "open_ledger", opened)
        elif at == "replace":
            now.setattr(Files, at, halt)
        else:
            now.setattr(begun_module if at == "note_end" else erasing, at, halt)
        erased(release, who)
    assert ledger_files(release).record.exists()


def _done(release: FakeRelease) -> bool:
    files = ledger_files(release)
    begun = files.begun()
    return bool(begun and files.replaced(begun))


def finished(release: FakeRelease) -> bool:
    """Whether an erasure is whole: no record, a sound ledger with ann alone, and ben nowhere."""
    open_ledger(release).verify()
    here = {path: data for path, data in tree(release).items() if "subs" not in path.parts}
    names = [path for path, data in here.items() if b"Benno" in data or b'"ben"' in data or "/ben" in str(path)]
    standings = open_ledger(release).standings()
    whole = both(release)[0] == both(release)[1] and standings.keys() == {(NAME, "ann")}
    return whole and not names and not unfinished(course_dir(release))


@pytest.mark.parametrize("at", STEPS)
def test_the_same_command_finishes_it_from_every_step(
    two: FakeRelease, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(two, at, monkeypatch)
    assert WORDS in unfinished(course_dir(two))
    done = erased(two)
    assert done.notes == ["the erasure of ben that was interrupted was gone on with, and is finished"]
    assert finished(two) and done.entries > 2 and done.left == [] and done.head == open_ledger(two).verify()[1]
    assert [entry.kind for entry in open_ledger(two)].count("erased") == done.entries + 1
    assert open_ledger(two).standings()[(NAME, "ann")].overrides["london"]["points"] == 1.0


@pytest.mark.parametrize("at", ["_take_out", "ledger", "keep"])
@pytest.mark.parametrize(
    "wrong", [("ben", "Benno asked"), ("bem", "a request"), ("ann", "a request"), ("a/b", "x"), ("ben", " ")]
)
def test_a_command_that_fails_leaves_the_record(
    two: FakeRelease, at: str, wrong: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(two, at, monkeypatch)
    with pytest.raises(CourseError):
        erased(two, *wrong)
    assert WORDS in unfinished(course_dir(two))
    erased(two)
    assert finished(two)


@pytest.mark.parametrize("fails", [1, 2, 3])
def test_a_full_disk_leaves_the_record_or_nothing(
    two: FakeRelease, fails: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, turn = begun_module.write_atomically, []
    before = tree(two)

    def full(path: Path, data: Any) -> None:
        turn.append(path)
        if len(turn) >= fails:
            raise CourseError(f"Cannot write {path}: No space left on device")
        real(path, data)

    with monkeypatch.context() as now, pytest.raises(CourseError, match="No space left"):
        now.setattr(begun_module, "write_atomically", full)
        erased(two)
    if fails == 1:
        assert tree(two) == before
    else:
        assert WORDS in unfinished(course_dir(two))
    erased(two)
    assert finished(two)


@pytest.mark.parametrize("at", ["delete_files", "ledger", "keep"])
def test_no_command_writes_while_one_is_unfinished(
    two: FakeRelease, at: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    killed(two, at, monkeypatch)
    two.assignments, two.term = [NAME], "T"  # type: ignore[attr-defined]
    monkeypatch.setattr(read, "load_release", lambda *_, **__: two)
    base, why = two.root.parent, ("--reason", "x")
    (base / "list.csv").write_text(LIST + BEN)
    (base / "times.csv").write_text("id,time\nann,2027-01-01T10:00:00Z\n")
    before = tree(two)
    for command in (
        ["grade", str(base / "subs"), "--quiet"],
        ["grade", str(base / "subs"), "--quiet", "--roster", str(base / "list.csv")],
        ["override", "ann", "london", "0", *why],
        ["override", "ben", "london", "0", *why],
        ["marks"],
        ["merge", "ann", "ben", *why],
        ["remove", "ann", *why],
        ["remove", "ann2", "--erase", *why],
        ["ledger", "rebuild"],
        ["term", "new"],
        ["term", "roster", str(base / "list.csv")],
        ["term", "close"],
        ["times", str(base / "times.csv")],
        ["backup", str(base / "b.zip")],
    ):
        assert cli.main([*command, "--release", str(two.root)]) == 2, command
        assert WORDS in capsys.readouterr().err, command
        assert tree(two) == before, command
    assert cli.main(["ledger", "verify", "--release", str(two.root)]) == 1
    assert WORDS in capsys.readouterr().err and tree(two) == before
    cli.main(["export", "--release", str(two.root), "--out", str(base / "out")])
    assert WORDS in capsys.readouterr().err, "what reads names it"
    give = ["remove", "ben", "--release", str(two.root), "--out", str(base / "out"), "--erase", *why]
    assert cli.main(give) in (0, 1)
    said = capsys.readouterr().out
    assert "was gone on with, and is finished" in said and "entries of the ledger hold only" in said
    assert cli.main(["ledger", "verify", "--release", str(two.root)]) == 0


def test_the_lock_itself_is_refused(two: FakeRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    killed(two, "replace", monkeypatch)
    with pytest.raises(ErasureBegun, match=WORDS), alone(course_dir(two), wait=True):
        pass
    with pytest.raises(ErasureBegun, match=WORDS):
        how = Settings(progress=False, execute=fake_execute)
        grade(two.root.parent / "subs", two, two.root.parent / "out", NAME, how)
    assert restore(two) == "", "nothing is damaged"


@pytest.mark.parametrize("at", ["_take_out", "delete_files", "ledger", "keep"])
def test_who_came_on_the_class_list_is_not_touched(two: FakeRelease, at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    killed(two, at, monkeypatch)
    roster = course_dir(two) / "roster.csv"
    roster.write_text(LIST + BEN)
    (course_dir(two) / "submitted" / "ben" / NAME).mkdir(parents=True, exist_ok=True)
    (course_dir(two) / "submitted" / "ben" / NAME / "new.ipynb").write_text("{}")
    before = tree(two)
    with pytest.raises(CourseError, match=r"ben: is on the class list; take the line out of .*roster\.csv, then give"):
        erased(two)
    assert tree(two) == before
    roster.write_text(LIST)
    erased(two)
    assert finished(two)


@pytest.mark.parametrize("at", ["replace", "keep"])
def test_the_name_is_known_though_only_the_gradebook_had_it(
    two: FakeRelease, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3
    from contextlib import closing

    (course_dir(two) / "roster.csv.before-1").unlink()
    with closing(sqlite3.connect(course_dir(two) / "gradebook.db")) as book, book:
        book.execute("UPDATE student SET first_name = 'Bea', last_name = 'Sol', email = 'b@y.org' WHERE id = 'ben'")
    for name, text in (("letter.txt", "Dear Bea Sol"), ("mail.txt", "b@y.org")):
        (course_dir(two) / name).write_text(text)
    killed(two, at, monkeypatch)
    assert erased(two).left == [str(course_dir(two) / "letter.txt"), str(course_dir(two) / "mail.txt")]


@pytest.mark.parametrize("spoiled", ["ledger", "copy"])
@pytest.mark.parametrize("at", ["replace", "note_end", "ledger", "keep"])
def test_a_changed_ledger_or_copy_is_not_healed(
    two: FakeRelease, at: str, spoiled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(two, at, monkeypatch)
    path = course_dir(two) / "ledger.jsonl" if spoiled == "ledger" else copy_path(two)
    good = path.read_bytes()
    path.write_bytes(good.replace(b"generous", b"genorous"))
    before = tree(two)
    with pytest.raises(LedgerError, match="ledger restore puts it back"):
        erased(two)
    assert tree(two) == before
    path.write_bytes(good)
    erased(two)
    assert finished(two)


@pytest.mark.parametrize("at", ["replace", "keep"])
def test_the_ledger_can_be_put_back_before_it_is_finished(
    two: FakeRelease, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(two, at, monkeypatch)
    path = course_dir(two) / "ledger.jsonl"
    path.write_bytes(path.read_bytes().replace(b"generous", b"genorous"))
    assert "were put back from the copy" in restore(two)
    assert erased(two).entries > 2 and open_ledger(two).verify()


def planted(release: FakeRelease, *ids: str, key: str = "k", emptied: tuple[int, ...] = ()) -> Begun:
    """A record that nobody wrote."""
    person = {"ids": sorted(ids), "names": [], "mails": [], "numbers": []}
    begun = Begun(ids[-1], person, list(emptied), "2027", "r", "T", key)
    ledger_files(release).note(begun)
    return begun


@pytest.mark.parametrize("ids", [("ann", "ben"), ("zoe", "ben"), ("ann",), ("ben", "ann")])
def test_a_planted_record_is_believed_for_the_ids_of_the_ledger_only(two: FakeRelease, ids: tuple[str, ...]) -> None:
    planted(two, *ids)
    before = tree(two)
    for who in ("ann", "ben"):
        with pytest.raises(
            CourseError, match=r"which the ledger has not as one person; delete this file|class list|begun"
        ):
            erased(two, who)
        assert tree(two) == before
    ledger_files(two).record.unlink()
    erased(two)
    assert finished(two)


def test_a_planted_copy_is_not_taken(two: FakeRelease) -> None:
    entries = list(open_ledger(two))
    mine = tuple(one.n for one in entries if one.data.get("student") == "ben")
    changed = [replace(one, data={**one.data, "points": 2.0}) if one.kind == "override" else one for one in entries]
    theirs = [one.n for one in entries if one.data.get("student") == "ann"]
    for ids, emptied, found in (
        (("ben",), mine, changed),
        (("ben",), mine, entries[:-1]),
        (("ben",), (*mine, *theirs), entries),
        (("ben",), mine[:-1], entries),
        (("ann", "ben"), (*mine, *theirs), entries),
    ):
        begun = planted(two, *ids, emptied=emptied)
        good = copy_path(two).read_bytes()
        copy_path(two).write_bytes(begun.chain(found))
        before = tree(two)
        with pytest.raises(LedgerError):
            erased(two)
        assert tree(two) == before
        copy_path(two).write_bytes(good)
    begun = planted(two, "ben", emptied=mine)
    copy_path(two).write_bytes(begun.chain(entries))
    erased(two)  # the control: it is what an interruption leaves
    assert finished(two)


def test_an_entry_of_another_erasure_proves_nothing(two: FakeRelease) -> None:
    """A record for whose erasure there is no entry is one of which nothing is done yet, whatever the ledger ends with."""
    (course_dir(two) / "roster.csv").write_text("id,name\nzoe,Zoe\n")
    erased(two)
    begun = planted(two, "ann")
    assert not ledger_files(two).replaced(begun)
    done = erased(two, "ann")
    assert done.entries > 2 and open_ledger(two).standings() == {}


def test_a_record_that_cannot_be_read_ends_every_command_with_a_remedy(two: FakeRelease) -> None:
    files = ledger_files(two)
    right = asdict(Begun("ben", {"ids": ["ben"], "names": [], "mails": [], "numbers": []}, [], "", "", "", ""))
    for text in ("", "{", "[]", json.dumps({"student": "ben"}), json.dumps({**right, "person": {}})):
        files.record.write_text(text)
        for command in (
            lambda: erased(two),
            lambda: override_student(two, NAME, "ann", "london", 0.0, "x", "T"),
        ):
            with pytest.raises(
                LedgerError, match="its record cannot be read; delete this file, then give remove --erase"
            ):
                command()
    files.record.unlink()
    assert erased(two).entries > 2 and finished(two)


def test_a_copy_that_was_changed_anywhere_is_found_and_left(two: FakeRelease) -> None:
    ledger = open_ledger(two)
    for _ in range(120):
        ledger.append("repair", note="x" * 1000)
    note_end(course_dir(two) / "gradebook.db", *ledger.verify())
    path = copy_path(two)
    path.write_bytes(path.read_bytes().replace(b"generous", b"genorous"))
    before = both(two)
    for command in (lambda: open_ledger(two).verify(), lambda: erased(two)):
        with pytest.raises(LedgerError, match=r"ledger\.jsonl, line \d+: not what the copy in"):
            command()
    assert both(two) == before
    assert restore(two) and both(two)[0] == both(two)[1]
