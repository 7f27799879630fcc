"""The ledger finds every change, survives every crash, and tells where a student stands."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.grading import ledger as ledger_module
from autograder.grading.ledger import Ledger, LedgerError


def verdict(student: str, points: float = 2.0, sha: str = "aa") -> dict[str, Any]:
    one = {"exercise": "london", "status": "passed", "points": points, "max_points": 2.0}
    return {"student": student, "assignment": "07", "sha256": sha, "result": {"verdicts": [one]}}


def filled(path: Path, n: int = 5) -> Ledger:
    ledger = Ledger(path)
    for number in range(n):
        ledger.append("verdict", **verdict(f"s{number}"))
    return ledger


def test_entries_come_back_in_order_and_verify(tmp_path: Path) -> None:
    ledger = filled(tmp_path / "ledger.jsonl")
    assert [e.data["student"] for e in ledger] == [f"s{n}" for n in range(5)]
    count, head = ledger.verify()
    assert count == 5
    ledger.append("recorded", student="s0", assignment="07")
    assert ledger.verify(head)[0] == 6


@given(position=st.integers(0, 10_000), byte=st.integers(0, 255))
@settings(max_examples=150, deadline=None)
def test_any_changed_byte_is_found(tmp_path_factory: pytest.TempPathFactory, position: int, byte: int) -> None:
    path = tmp_path_factory.mktemp("l") / "ledger.jsonl"
    filled(path, 3)
    data = bytearray(path.read_bytes())
    position %= len(data) - 1  # the very last byte is the line's end: see the crash test
    if data[position] == byte:
        return
    data[position] = byte
    path.write_bytes(bytes(data))
    with pytest.raises(LedgerError):
        Ledger(path).verify()


@pytest.mark.parametrize(("old", "new"), [(b"2.0", b"2e0"), (b": ", b":\t"), (b", ", b",")])
def test_the_same_values_written_otherwise_are_found(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = tmp_path / "ledger.jsonl"
    filled(path, 3)
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    with pytest.raises(LedgerError, match="changed after it was written"):
        Ledger(path).verify()


def test_removed_swapped_and_doubled_lines_are_found(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    filled(path)
    lines = path.read_text().splitlines(keepends=True)
    for wrong in (lines[1:], lines[:2] + lines[3:], [lines[1], lines[0], *lines[2:]], [*lines, lines[-1]]):
        path.write_text("".join(wrong))
        with pytest.raises(LedgerError, match="line"):
            Ledger(path).verify()


def test_reading_again_finds_every_change_and_parses_only_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger.jsonl"
    ledger = filled(path)
    assert len(list(ledger)) == 5
    parsed: list[bytes] = []
    real = ledger_module.parse
    monkeypatch.setattr(ledger_module, "parse", lambda line, where: parsed.append(line) or real(line, where))
    assert len(list(Ledger(path))) == 5 and not parsed
    other = Ledger(path)
    other.append("recorded", student="s0", assignment="07")
    parsed.clear()
    assert len(list(ledger)) == 6 and len(parsed) == 1
    assert ledger.verify()[0] == 6 and len(parsed) == 7  # verify trusts nothing that was read before
    whole = path.read_bytes()
    for number in range(6):
        lines = whole.splitlines(keepends=True)
        lines[number] = lines[number].replace(b"s", b"z", 1)
        path.write_bytes(b"".join(lines))
        with pytest.raises(LedgerError):
            ledger.standings()
        path.write_bytes(whole)
        assert len(ledger.standings()) == 5


def test_a_cut_off_end_is_found_by_the_noted_head(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    _, head = filled(path).verify()
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert Ledger(path).verify()[0] == 4
    with pytest.raises(LedgerError, match="cut off"):
        Ledger(path).verify(head)


@pytest.mark.parametrize("cut", [2, 10, 200])
def test_a_torn_last_line_is_set_aside_with_a_note(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "ledger.jsonl"
    filled(path)
    path.write_bytes(path.read_bytes()[:-cut])
    ledger = Ledger(path)
    assert "cut off" in ledger.notes[0] and path.with_suffix(".jsonl.torn").exists()
    assert [e.kind for e in ledger] == ["verdict"] * 4 + ["repair"]
    ledger.append("verdict", **verdict("new"))
    assert Ledger(path).verify()[0] == 6 and Ledger(path).notes == []


def test_a_last_line_that_lacks_its_end_alone_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    filled(path)
    path.write_bytes(path.read_bytes()[:-1])
    ledger = Ledger(path)
    assert [e.kind for e in ledger] == ["verdict"] * 5 + ["repair"] and "put back" in ledger.notes[0]


def _many(path: Path, name: str) -> None:
    for number in range(25):
        Ledger(path).append("intake", student=f"{name}{number}", assignment="07")


def test_several_writers_keep_one_chain(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    writers = [multiprocessing.get_context("fork").Process(target=_many, args=(path, n)) for n in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert Ledger(path).verify()[0] == 75


def test_overrides_survive_a_regrade_of_the_same_work_only(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append("verdict", **verdict("ann", 0.0))
    ledger.override("07", "ann", "london", 1.5, "right idea", "me")
    assert ledger.standings()["07", "ann"].points == 1.5
    ledger.append("verdict", **verdict("ann", 0.0))
    assert ledger.standings()["07", "ann"].points == 1.5
    ledger.append("verdict", **verdict("ann", 2.0, sha="bb"))
    standing = ledger.standings()["07", "ann"]
    assert standing.points == 2.0 and not standing.recorded
    ledger.append("recorded", student="ann", assignment="07")
    assert ledger.standings()["07", "ann"].recorded
    ledger.append("regrade", student="ann", assignment="07", reason="check mended")
    assert ledger.standings()["07", "ann"].forced


@pytest.mark.parametrize(
    ("who", "what", "points", "reason", "word"),
    [("bob", "london", 1, "x", "the student bob is unknown: graded in 07 are ann"),
     ("ann", "rome", 1, "x", "london"),
     ("ann", "why", 1, "x", "a written answer, .* in the formgrader"),
     ("ann", "london", 3, "x", "0 to 2"),
     ("ann", "london", 1, " ", "reason"), ("ann", "london", float("nan"), "x", "0 to 2")],
)  # fmt: skip
def test_senseless_overrides_are_refused(
    tmp_path: Path, who: str, what: str, points: float, reason: str, word: str
) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append("verdict", **verdict("ann"), answers={"written-why": "x"})
    with pytest.raises(LedgerError, match=word):
        ledger.override("07", who, what, points, reason, "me")
    assert ledger.verify()[0] == 1


def test_an_unwritable_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(LedgerError, match="cannot be written"):
        Ledger(tmp_path / "file" / "ledger.jsonl").append("intake", student="a", assignment="07")


def test_the_line_is_plain_json(tmp_path: Path) -> None:
    filled(tmp_path / "ledger.jsonl", 1)
    assert set(json.loads((tmp_path / "ledger.jsonl").read_text())) == {"n", "time", "kind", "data", "prev", "hash"}
