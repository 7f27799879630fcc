"""An erasure that is cut short: the same command finishes it, every other one names it, and nothing forged comes in."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.grading import erasing
from autograder.grading.begun import Begun, ErasureBegun, Files, following, unfinished, without
from autograder.grading.copies import LedgerError, note_end
from autograder.grading.entering import override_student
from autograder.grading.erasing import erase
from autograder.grading.ledger import written
from autograder.grading.person import Person
from autograder.grading.pipeline import grade
from autograder.grading.repair import restore
from autograder.grading.settings import Settings
from autograder.grading.store import copy_path, course_dir, ledger_files, open_ledger, sha256
from autograder.release import read
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, graded_class

LIST = "id,name,email\nann,Ann Lee,ann@x.org\n"


@pytest.fixture
def two(tmp_path: Path) -> FakeRelease:
    """Ann and ben, graded; ben is on the earlier class list."""
    release = graded_class(tmp_path)
    (course_dir(release) / "roster.csv").write_text(LIST)
    (course_dir(release) / "roster.csv.before-1").write_text(LIST + "ben,Benno Odon,ben@x.org\n")
    override_student(release, NAME, "ann", "london", 1.0, "generous", "T")
    return release


def erased(release: FakeRelease, who: str = "ben") -> Any:
    return erase(release, who, "a request", "T", release.root.parent / "out")


def parts(release: FakeRelease) -> list[Path]:
    """Everything that an erasure keeps while it is under way."""
    files = ledger_files(release)
    names = [*(aside for aside, _ in files.asides()), files.record]
    return [one for one in names if one.exists()]


def both(release: FakeRelease) -> list[bytes]:
    return [path.read_bytes() for path in (course_dir(release) / "ledger.jsonl", copy_path(release))]


def killed(release: FakeRelease, at: str, patch: pytest.MonkeyPatch) -> None:
    """An erasure of ben that ends as by SIGKILL: before a step, without any cleaning up."""
    real: Callable[..., Any] = Path.replace

    def halt(*_: object) -> None:
        raise KeyboardInterrupt

    def replaced(path: Path, target: Path) -> Any:
        if path.name == f".{at}.erased":
            raise KeyboardInterrupt
        return real(path, target)

    with patch.context() as now, pytest.raises(KeyboardInterrupt):
        now.setattr(Files, "discard", lambda _: False)
        now.setattr(Path, "replace", replaced)
        for name in ("_note", "keep"):
            if at == name:
                now.setattr(erasing, name, halt)
        erased(release)


def test_ctrl_c_before_the_ledger_is_replaced_leaves_no_chain(
    two: FakeRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    def halt(*_: object) -> None:
        raise KeyboardInterrupt

    before = both(two)
    with monkeypatch.context() as now, pytest.raises(KeyboardInterrupt):
        now.setattr(erasing, "_note", halt)
        erased(two)
    assert parts(two) == [ledger_files(two).record] and both(two) == before
    assert "an erasure of ben was begun" in next(unfinished(ledger_files(two)))
    done = erased(two)
    assert parts(two) == [] and "and had not changed the ledger; it was dropped, and begun anew" in done.notes[0]
    assert done.entries > 2


def test_what_was_left_by_a_kill_is_dropped_and_later_marks_stay(
    two: FakeRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(two, "_note", monkeypatch)
    assert len(parts(two)) == 3
    override_student(two, NAME, "ann", "london", 0.0, "cheated", "T")
    (said,) = unfinished(ledger_files(two))
    assert "an erasure of ben was begun" in said and "remove ben --release" in said
    done = erased(two)
    assert (
        "of ben had been begun, and had not changed the ledger; it was dropped, and begun anew" in done.notes[0]
        and parts(two) == []
    )
    assert open_ledger(two).standings()[(NAME, "ann")].overrides["london"]["points"] == 0.0


@pytest.mark.parametrize("spoiled", ["ledger", "copy"])
@pytest.mark.parametrize("at", ["_note", "ledger-copy.jsonl"])
def test_a_changed_ledger_or_copy_is_not_healed_by_what_waits(
    two: FakeRelease, at: str, spoiled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(two, at, monkeypatch)
    path = course_dir(two) / "ledger.jsonl" if spoiled == "ledger" else copy_path(two)
    path.write_bytes(path.read_bytes().replace(b"generous", b"genorous"))
    before = both(two)
    with pytest.raises(LedgerError, match="does not fit these files, and was dropped"):
        erased(two)
    assert parts(two) == [] and both(two) == before
    with pytest.raises(LedgerError):
        erased(two)
    assert both(two) == before


@pytest.mark.parametrize("at", ["ledger-copy.jsonl", "ledger.jsonl"])
def test_every_command_names_an_erasure_that_replaces_the_ledger(
    two: FakeRelease, at: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    killed(two, at, monkeypatch)
    words = "an erasure of ben was begun and interrupted; finish it with: python -m autograder remove ben"
    base, before = two.root.parent, both(two)
    for command in (
        lambda: open_ledger(two),
        lambda: restore(two),
        lambda: override_student(two, NAME, "ann", "london", 0.0, "x", "T"),
        lambda: grade(base / "subs", two, base / "out", NAME, Settings(progress=False, execute=fake_execute)),
        lambda: erased(two, "ann2"),
    ):
        with pytest.raises(ErasureBegun, match=words):
            command()
    assert both(two) == before
    monkeypatch.setattr(read, "load_release", lambda *_, **__: two)
    where = ("--release", str(two.root))
    assert cli.main(["ledger", "verify", *where]) == 1 and words in capsys.readouterr().err
    give = ["remove", "ben", *where, "--out", str(base / "out"), "--erase", "--reason", "a request"]
    assert cli.main(give) == 0
    said = capsys.readouterr().out
    assert "the erasure of ben that was interrupted was gone on with, and is finished" in said
    assert "entries of the ledger hold only" in said and "had no entry" not in said
    assert cli.main(["ledger", "verify", *where]) == 0 and parts(two) == []
    assert "Benno" not in (course_dir(two) / "roster.csv.before-1").read_text()


def test_what_comes_after_the_ledger_is_done_by_the_same_command(
    two: FakeRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(two, "keep", monkeypatch)
    open_ledger(two).verify()
    assert parts(two) == [ledger_files(two).record]
    (course_dir(two) / "note.txt").write_text("Odon, Benno")
    with pytest.raises(ErasureBegun, match="an erasure of ben was begun"):
        erased(two, "zoe")
    assert erased(two).left == [str(course_dir(two) / "note.txt")] and parts(two) == [], "the name is known still"


def test_an_erasure_of_somebody_else_names_the_one_that_was_begun(two: FakeRelease) -> None:
    (course_dir(two) / "roster.csv.before-2").write_text("id,name\neva,Eva Sol\n")
    ledger_files(two).note("ben", Person(frozenset({"ben"})))
    notes = erased(two, "eva").notes
    assert notes == [
        "an erasure of ben had been begun, and had not changed the ledger; it was dropped; give it again if it is still wanted"
    ]
    assert parts(two) == []


def forged(release: FakeRelease, change: Callable[[list[Any]], list[Any]], ids: tuple[str, ...] = ("ben",)) -> None:
    """Plant an erasure with a sound chain, as if it had been interrupted in the middle."""
    files, ledger = ledger_files(release), open_ledger(release)
    _, head = ledger.verify()
    person = Person(frozenset(ids))
    chain, count = without(change(list(ledger)), person)
    chain.append(following(chain, "erased", {"entries": count, "before": head, "reason": "r", "by": "T"}, "2027"))
    data = b"".join(written(one) + b"\n" for one in chain)
    hashes = (sha256(files.ledger.read_bytes()), sha256(data))
    files.write(Begun("ben", person.to_json(), count, *hashes, chain[-1].n, chain[-1].hash), data)
    assert note_end(course_dir(release) / "gradebook.db", chain[-1].n, chain[-1].hash)


def more(entries: list[Any]) -> list[Any]:
    return [replace(one, data={**one.data, "points": 2.0}) if one.kind == "override" else one for one in entries]


@pytest.mark.parametrize(
    ("change", "ids"),
    [(more, ("ben",)), (lambda entries: entries[:-1], ("ben",)), (list, ("ann", "ben")), (list, ("ann",))],
)
def test_a_planted_chain_is_not_taken(two: FakeRelease, change: Any, ids: tuple[str, ...]) -> None:
    forged(two, change, ids)
    before = both(two)
    with pytest.raises(LedgerError, match="does not fit these files"):
        erased(two)
    assert both(two) == before and parts(two) == []


def test_the_control_is_taken(two: FakeRelease) -> None:
    forged(two, list)
    assert erased(two).left == [] and open_ledger(two).verify()


def test_a_record_that_cannot_be_read_is_dropped(two: FakeRelease) -> None:
    files = ledger_files(two)
    for text in ("", "{", "[]", json.dumps({"student": "ben"}), json.dumps(asdict(Begun("ben", {}, 1, "", "", 1, "")))):
        files.record.write_text(text)
        assert files.begun() is None and files.interrupted() is None and len([*unfinished(files)]) == 1
        open_ledger(two).verify()
    assert erased(two).entries > 2 and parts(two) == []


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
