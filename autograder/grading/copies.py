"""What is kept elsewhere of a ledger: a whole second copy, and the number and hash of its end in the gradebook.

A chain of hashes finds a changed line, but not a missing end. Every entry is therefore written twice, first to the ledger
and then to the copy. So the copy may lack the newest entries (a crash came between), and is then completed; a ledger that
lacks what the copy has was cut off. The gradebook's note finds an end that was cut off in both.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from autograder.release.read import DAMAGED
from course_utils.errors import CourseError

REMEDY = "python -m autograder ledger restore puts it back from the copy, else restore the file from a backup"
BLOCK = 65_536
TABLE = "autograder_ledger_end"
DISK = re.compile(r"database or disk is full|disk I/O error|No space left on device|Disk quota exceeded|File too large")
PATIENCE = 2.0  # seconds to wait for a gradebook that another program holds


def remedy(error: Exception) -> str:
    """What helps against an error of SQLite, as the end of a sentence."""
    words = str(error)
    if DAMAGED.search(words):
        return "the file is damaged; python -m autograder ledger rebuild makes it again from the ledger"
    if DISK.search(words):
        return "make room on its disk and try again"
    return "close other programs and try again"


class LedgerError(CourseError):
    """The ledger is not what was written to it."""


class LedgerCut(LedgerError):
    """Its end, or all of it, is missing."""


def write_all(handle: Any, data: bytes) -> None:
    """Add to the end of an unbuffered file and wait for the disk; an error leaves the file as it was."""
    start = handle.seek(0, os.SEEK_END)
    try:
        view = memoryview(data)
        while view:
            view = view[handle.write(view) :]
        os.fsync(handle.fileno())
    except OSError:
        with suppress(OSError):  # a torn line is set aside at the next opening
            handle.truncate(start)
        raise


def lines(path: Path) -> list[bytes]:
    """The whole lines of a file; a last one without its end is left out. No file has no lines."""
    data = path.read_bytes() if path.exists() else b""
    return data[: data.rfind(b"\n") + 1].splitlines(keepends=True)


def tail(path: Path) -> tuple[int, bytes]:
    """Size of a file and its last block, (0, b"") for no file."""
    if not path.exists():
        return 0, b""
    with path.open("rb") as handle:
        size = handle.seek(0, os.SEEK_END)
        handle.seek(max(0, size - BLOCK))
        return size, handle.read()


def complete(copy: Path, more: list[bytes]) -> None:
    """Add lines to the copy, after taking away an end that a crash left there. Raises OSError."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    with copy.open("a+b", buffering=0) as handle:
        handle.seek(0)
        handle.truncate(handle.read().rfind(b"\n") + 1)
        write_all(handle, b"".join(more))


def follow(copy: Path, line: bytes, before: int) -> None:
    """Add the ledger's newest line to a copy of ``before`` bytes; one of another length waits for the next comparison.

    Raises:
        OSError: the copy cannot be written.
    """
    copy.parent.mkdir(parents=True, exist_ok=True)
    with copy.open("a+b", buffering=0) as handle:
        if handle.seek(0, os.SEEK_END) == before:
            write_all(handle, line)


def compare(path: Path, copy: Path, *, whole: bool = False) -> None:
    """Complete the copy from the ledger.

    Args:
        whole: read both to their beginning; else an end that both have alike is believed.

    Raises:
        LedgerCut: the ledger lacks entries that the copy has.
        LedgerError: the two differ.
        OSError: the copy cannot be read or written.
    """
    if not whole and tail(path) == tail(copy):
        return
    mine, theirs = lines(path), lines(copy)
    if mine == theirs and tail(path) == tail(copy):
        return
    if mine[: len(theirs)] == theirs:
        complete(copy, mine[len(theirs) :])
    elif theirs[: len(mine)] == mine:
        gone = described(theirs[len(mine) :], len(mine) + 1)
        raise LedgerCut(f"{path}: its end was cut off; missing are {gone}; {REMEDY}")
    else:
        first = next(n for n, (a, b) in enumerate(zip(mine, theirs, strict=False), start=1) if a != b)
        where = f"{path}, line {first}: not what the copy in {copy} has there"
        raise LedgerError(f"{where}; one of the two was changed after it was written; {REMEDY}")


def described(gone: list[bytes], first: int) -> str:
    """Which entries these are, the first ones by name."""
    names = []
    for line in gone[:5]:
        try:
            entry = json.loads(line)
            names.append(f"{entry['kind']} of {entry['data'].get('student', 'nobody')} ({entry['time'][:16]})")
        except (ValueError, KeyError, TypeError, AttributeError):
            names.append("one that cannot be read")
    more = f" and {len(gone) - 5} more" if len(gone) > 5 else ""
    return f"entries {first} to {first + len(gone) - 1}: {', '.join(names)}{more}"


def note_end(gradebook: Path, count: int, end: str) -> bool:
    """Write number and hash of the ledger's newest entry into the gradebook; False if it is busy or not there."""
    if not gradebook.exists():
        return False
    try:
        with closing(sqlite3.connect(gradebook, timeout=PATIENCE)) as book, book:
            book.execute(f"CREATE TABLE IF NOT EXISTS {TABLE} (one INTEGER PRIMARY KEY, count INTEGER, hash TEXT)")
            book.execute(f"INSERT OR REPLACE INTO {TABLE} VALUES (1, ?, ?)", (count, end))
    except sqlite3.Error:
        return False
    return True


def noted_end(gradebook: Path) -> tuple[int, str] | None:
    """Number and hash that were noted last; None if nothing was, or the gradebook cannot be read now."""
    if not gradebook.exists():
        return None
    try:
        with closing(sqlite3.connect(f"file:{gradebook}?mode=ro", uri=True, timeout=PATIENCE)) as book:
            return book.execute(f"SELECT count, hash FROM {TABLE}").fetchone()
    except sqlite3.Error:
        return None
