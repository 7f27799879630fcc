"""Faults that are put into one grader's process: a full disk or a death at a chosen step, clocks, careless writing."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR


def _steps(base: Path, act: Callable[[int], None]) -> None:
    """Call ``act`` with the number of each step that writes below ``base``: files opened, renamed, removed, folders made."""
    count = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        if event == "open":
            writes = isinstance(arguments[2], int) and arguments[2] & WRITING
        else:
            writes = event in ("os.rename", "os.mkdir")
        name = arguments[0] if writes else None
        if (
            isinstance(name, str | os.PathLike)
            and str(name).startswith(str(base))
            and not str(name).endswith("log.txt")
        ):
            count += 1
            act(count)

    sys.addaudithook(hook)


def full_from(base: Path, step: int) -> None:
    """No step that writes succeeds from this one on, and what is added to an open file is cut in half."""
    from autograder.grading import copies, ledger

    full = False

    def act(count: int) -> None:
        nonlocal full
        full = full or count >= step
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def half(handle: Any, data: bytes) -> None:
        if full:
            with suppress(OSError):
                handle.write(data[: len(data) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle, data)

    real = copies.write_all
    copies.write_all = ledger.write_all = half
    _steps(base, act)


def die_at(base: Path, step: int) -> None:
    """SIGKILL just before this step."""
    _steps(base, lambda count: os.kill(os.getpid(), signal.SIGKILL) if count == step else None)


def torn_at(base: Path, number: int) -> None:
    """SIGKILL in the middle of the ledger's or the copy's n-th line."""
    from autograder.grading import copies, ledger

    real, count = copies.write_all, 0

    def half(handle: Any, data: bytes) -> None:
        nonlocal count
        count += 1
        if count == number:
            handle.write(data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        real(handle, data)

    copies.write_all = ledger.write_all = half


def small_files(base: Path, size: int) -> None:
    """No file may grow beyond this many bytes: a limit that SQLite and the judges meet, too."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def clock(base: Path, seconds: float) -> None:
    """The wall clock is off by this much, and by the opposite at every second look."""
    from autograder.grading import ledger, lock, pipeline

    class Stepping(datetime):
        looks = 0

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            cls.looks += 1
            return datetime.now(tz) + timedelta(seconds=seconds if cls.looks % 2 else -seconds)

    for module in (ledger, lock, pipeline):
        module.datetime = Stepping  # type: ignore[attr-defined]
    real = time.time
    time.time = lambda: real() + seconds


def impatient(base: Path, rounds: int) -> None:
    """Entering is given up after so many rounds, without a pause."""
    from autograder.grading import entering

    entering.ROUNDS, entering.PAUSE = rounds, 0.0


def careless(base: Path, _: Any) -> None:
    """The control: no lock, no copy, no mended line, files written in place and slowly, results not compared by hash."""
    from autograder.grading import copies, entering, gradebook, ledger, lock, pipeline, repair, store

    def in_place(path: Path, data: str | bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = data.encode() if isinstance(data, str) else data
        with path.open("wb", buffering=0) as handle:
            handle.write(raw[: len(raw) // 2])
            time.sleep(0.05)
            handle.write(raw[len(raw) // 2 :])

    def slow(handle: Any, data: bytes) -> None:
        handle.write(data[: len(data) // 2])
        time.sleep(0.05)
        handle.write(data[len(data) // 2 :])

    class NoLock:
        LOCK_EX = LOCK_NB = 0

        @staticmethod
        def flock(*_: Any) -> None:
            return None

    ledger.fcntl = lock.fcntl = NoLock  # type: ignore[assignment]
    ledger.Ledger._mend = lambda self, handle: ""  # type: ignore[method-assign]
    ledger.compare = copies.compare = lambda *_: None
    copies.write_all = ledger.write_all = slow
    for module in (store, gradebook, pipeline, repair):
        module.write_atomic = in_place
    for module in (store, entering, pipeline):  # type: ignore[assignment]
        module.settle = lambda path, digest: path.exists()  # type: ignore[attr-defined]


FAULTS: dict[str, Callable[[Path, Any], None]] = {
    one.__name__: one for one in (full_from, die_at, torn_at, small_files, clock, impatient, careless)
}
