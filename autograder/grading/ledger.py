"""The append-only record of a term: who handed in what, what the judge said, who changed a mark and why.

One JSON object per line. Each carries the hash of the line before it, so a changed, removed or inserted line is found;
a copy kept elsewhere shows an end that was cut off (:mod:`autograder.grading.copies`). The gradebook is derived from the
ledger and can be made again at any time.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.grading.copies import REMEDY, LedgerCut, LedgerError, compare, follow, lines, write_all
from autograder.grading.identities import People
from autograder.grading.pairs import paired
from autograder.grading.standing import WRITTEN, Standing
from autograder.records import in_points

START = "0" * 64
_READ: dict[Path, tuple[bytes, list[Entry]]] = {}  # what was read last of each ledger, and its entries
__all__ = ["Entry", "Ledger", "LedgerCut", "LedgerError", "Standing", "digest", "parse", "sound", "written"]
KINDS = (
    "intake",
    "refused",
    "verdict",
    "recorded",
    "override",
    "mark",
    "regrade",
    "repair",
    "removed",
    "mended",
    "merged",
    "unmerged",
    "timed",
    "erased",
)


@dataclass(frozen=True)
class Entry:
    """One line of the ledger. ``data`` is what the kind of entry needs."""

    n: int
    time: str
    kind: str
    data: dict[str, Any]
    prev: str
    hash: str


def digest(n: int, time: str, kind: str, data: Mapping[str, Any], prev: str) -> str:
    """SHA-256 of an entry in its one canonical form."""
    text = json.dumps([n, time, kind, data, prev], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def written(entry: Entry) -> bytes:
    """An entry as its line of the file, without the end of the line."""
    return json.dumps(entry.__dict__, sort_keys=True).encode()


def _ends_well(handle: Any) -> bool:
    """Whether the file is empty or its last byte ends a line."""
    size = handle.seek(0, os.SEEK_END)
    handle.seek(max(0, size - 1))
    well = handle.read(1) in (b"", b"\n")
    handle.seek(0)
    return well


def parse(line: bytes, where: str) -> Entry:
    """One line as an entry. Raises LedgerError if it is none, or not as it was written."""
    try:
        entry = Entry(**json.loads(line))
        sound = entry.hash == digest(entry.n, entry.time, entry.kind, entry.data, entry.prev)
        # 2.0 and 2e0 are one number, but only one of them is what was written
        sound = sound and line.rstrip(b"\n") == written(entry)
    except (ValueError, TypeError, RecursionError) as error:
        raise LedgerError(f"{where}: not a ledger entry; {REMEDY}") from error
    if not sound:
        raise LedgerError(f"{where}: the entry was changed after it was written; {REMEDY}")
    if entry.kind not in KINDS:  # an unknown one could change grades, so it is not passed over
        raise LedgerError(
            f"{where}: {entry.kind!r} is no kind of entry of this version; use a later version of the course"
        )
    return entry


def sound(found: list[bytes]) -> list[bytes]:
    """The leading lines that are entries and follow each other."""
    good, before = [], START
    for number, line in enumerate(found, start=1):
        try:
            entry = parse(line, "")
        except LedgerError:
            break
        if entry.prev != before or entry.n != number:
            break
        good.append(line)
        before = entry.hash
    return good


class Ledger:
    """The ledger in one file; every method reads what is on disk, so several processes may share it.

    Opening it mends a last line that a crash cut off: the fragment moves to ``<name>.torn`` and a ``repair`` entry says so.

    Args:
        path: the file.
        copy: where a second copy is kept, or None.

    Raises:
        LedgerError: entries that the copy has are missing, or differ.
    """

    def __init__(self, path: Path | str, copy: Path | None = None) -> None:
        self.path, self.copy = Path(path), copy
        self.notes: list[str] = []
        if self.path.exists():
            with self._locked():
                pass
        elif copy is not None and lines(copy):
            raise LedgerCut(f"{self.path}: the ledger is gone, its copy has {len(lines(copy))} entries; {REMEDY}")

    def append(self, kind: str, **data: Any) -> Entry:
        """Write one entry and wait until it is on the disk.

        Raises:
            LedgerError: the folder cannot be written, or the last line is not sound.
        """
        if kind not in KINDS:
            raise ValueError(f"unknown kind of entry: {kind}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LedgerError(f"{self.path}: cannot be written ({error.strerror}); choose another folder") from error
        with self._locked() as handle:
            return self._write(handle, kind, data)

    @contextmanager
    def _locked(self) -> Iterator[Any]:
        """The file, held by this process alone, its end mended and compared with the copy."""
        try:
            with self.path.open("a+b", buffering=0) as handle:
                fcntl.flock(handle, fcntl.LOCK_EX)
                note = self._mend(handle)
                self._compare()
                if note:
                    self.notes.append(note)
                    self._write(handle, "repair", {"note": note})
                yield handle
        except OSError as error:
            raise LedgerError(
                f"{self.path}: cannot be written ({error.strerror}); choose a folder you may write to, or make room"
            ) from error

    def _compare(self) -> None:
        if self.copy is not None:
            compare(self.path, self.copy)

    def _write(self, handle: Any, kind: str, data: dict[str, Any]) -> Entry:
        last = self._last(handle)
        n, prev = (last.n + 1, last.hash) if last else (1, START)
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        clean = json.loads(json.dumps(data))  # what will be read back is what is hashed
        entry = Entry(n, time, kind, clean, prev, digest(n, time, kind, clean, prev))
        line = written(entry) + b"\n"
        write_all(handle, line)
        try:
            if self.copy is not None:
                follow(self.copy, line, handle.tell() - len(line))
        except OSError as error:  # the entry stands; the next opening completes the copy
            self.notes.append(f"{self.copy}: the copy of the ledger could not be written ({error.strerror})")
        return entry

    def _last(self, handle: Any) -> Entry | None:
        """The last entry, read from the end of the file in growing blocks."""
        size = handle.seek(0, os.SEEK_END)
        block = 65_536
        while size:
            handle.seek(max(0, size - block))
            found = handle.read(min(block, size)).splitlines()
            if len(found) > 1 or block >= size:
                return parse(found[-1], f"{self.path}, last line")
            block *= 4
        return None

    def _mend(self, handle: Any) -> str:
        """Complete or set aside a last line without its end; returns what was done, or ""."""
        handle.seek(0)
        data = handle.read() if not _ends_well(handle) else b""
        end = data.rfind(b"\n") + 1
        torn = data[end:]
        if not torn:
            return ""
        try:
            parse(torn, "")
            write_all(handle, b"\n")
            return "the end of the last line, cut off by a crash, was put back"
        except LedgerError:
            with self.path.with_suffix(self.path.suffix + ".torn").open("ab", buffering=0) as aside:
                write_all(aside, torn + b"\n")
        handle.truncate(end)
        os.fsync(handle.fileno())
        return f"a last line cut off by a crash ({len(torn)} bytes) was set aside in {self.path.name}.torn"

    def __iter__(self) -> Iterator[Entry]:
        """All entries in order; raises LedgerError at the first line that does not fit."""
        yield from self._entries()

    def _entries(self, *, anew: bool = False) -> list[Entry]:
        """All entries. What this process has read and checked before is not parsed again while its bytes are the same,
        else a class of thousands would take time with the square of its size.

        Args:
            anew: check every line.
        """
        data = self.path.read_bytes() if self.path.exists() else b""
        old, known = _READ.get(self.path.absolute(), (b"", []))
        if anew or not data.startswith(old):
            old, known = b"", []
        entries = list(known)
        prev = entries[-1].hash if entries else START
        for number, line in enumerate(io.BytesIO(data[len(old) :]), start=len(known) + 1):
            entry = parse(line, f"{self.path}, line {number}")
            if entry.prev != prev or entry.n != number:
                raise LedgerError(
                    f"{self.path}, line {number}: a line before it was removed, inserted or moved; {REMEDY}"
                )
            prev = entry.hash
            entries.append(entry)
        if data[-1:] == b"\n":
            _READ[self.path.absolute()] = (data, entries)
        return entries

    def verify(self, head: str = "") -> tuple[int, str]:
        """Check every line, here and in the copy; return the number of entries and the hash of the last.

        Args:
            head: a hash noted down earlier; it must still be in the chain (so that a cut-off end is found, too).

        Raises:
            LedgerError: naming the first line that is not as it was written.
        """
        hashes = [entry.hash for entry in self._entries(anew=True)]
        if self.copy is not None and self.path.exists():
            with self._locked():
                compare(self.path, self.copy, whole=True)
        if head and head not in hashes:
            raise LedgerError(
                f"{self.path}: the entry {head[:12]}… is gone; the end of the ledger was cut off or rewritten"
            )
        return len(hashes), hashes[-1] if hashes else START

    def must_hold(self, count: int, end: str) -> None:
        """Compare with a note kept elsewhere.

        Raises:
            LedgerError: the entry of that number is not there, or another one.
        """
        found = lines(self.path)
        if len(found) < count:
            words = f"{self.path}: has {len(found)} entries, the gradebook's note says {count}"
            raise LedgerCut(f"{words}; its end was cut off, in the copy too; {REMEDY}")
        if count and parse(found[count - 1], f"{self.path}, line {count}").hash != end:
            raise LedgerError(f"{self.path}, line {count}: not the entry that the gradebook's note names; {REMEDY}")

    def standings(self) -> dict[tuple[str, str], Standing]:
        """(assignment, student) to where the student stands; of merged ids the one that counts is there."""
        return self.people().table

    def people(self) -> People:
        """Where everybody stands, and which ids were merged. Raises LedgerError for an entry that no command writes."""
        people = People()
        for kind, entry in paired(self):
            try:
                people.apply(kind, entry.data, entry.time)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                words = f"{type(error).__name__}: {error}"
                raise LedgerError(
                    f"{self.path}, line {entry.n}: no entry that a command wrote ({words}); {REMEDY}"
                ) from error
        return people

    def override(self, assignment: str, student: str, exercise: str, points: float, reason: str, by: str) -> Entry:
        """Change one mark by hand.

        Raises:
            LedgerError: an unknown student, no verdict of that exercise, or points outside 0…maximum, or no reason.
        """
        people = self.people()
        if (now := people.identities.of(student)) != student:
            raise LedgerError(f"{student} is merged into {now}; give that id")
        standing = people.table.get((assignment, student), Standing())
        if not standing.verdict:
            graded = sorted(who for (name, who), one in people.table.items() if name == assignment and one.verdict)
            names = ", ".join(graded[:20]) + (" …" if len(graded) > 20 else "")
            raise LedgerError(f"the student {student} is unknown: graded in {assignment} are {names or 'none yet'}")
        if f"{WRITTEN}{exercise.removeprefix(WRITTEN)}" in standing.verdict.get("answers", {}):
            raise LedgerError(
                f"{exercise} is a written answer, which a person marks: in the formgrader, under Manual Grading; "
                "override changes points of checks"
            )
        verdicts = {v["exercise"]: v for v in standing.verdict["result"]["verdicts"]}
        if exercise not in verdicts:
            known = ", ".join(verdicts)
            raise LedgerError(f"{student} has no verdict for {exercise!r} in {assignment}; there is: {known}")
        most = verdicts[exercise]["max_points"]
        if not 0 <= points <= most:
            raise LedgerError(f"{exercise} is worth 0 to {in_points(most)}, not {points:g}")
        if not reason.strip():
            raise LedgerError("a change by hand needs a reason; give --reason")
        data = {"assignment": assignment, "student": student, "exercise": exercise, "points": points}
        return self.append("override", **data, reason=reason, by=by)
