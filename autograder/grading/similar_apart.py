"""Students' code is read in a process of its own, which is killed where a text takes too long or too much memory.

No rule on a text bounds the time of all that reads it (Python's parser, IPython's translator, what walks trees), so time is
bounded itself. ``python -m autograder.grading.similar_apart FD`` is the process; it ends with the one that started it.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any

from autograder.grading.similar_code import LONGEST_NAME, Form, Formed, added_code, answers_of, formed

PIECE, ALL = 10.0, 20.0  # seconds for one answer, and for all code of a student; honest code takes a fraction of one
START = 120.0  # seconds in which the process must begin, on a machine that is busy
MEMORY = 4 * 2**30
PR_SET_PDEATHSIG = 1
AROUND = "what stands outside of the answers"


@dataclass
class Read:
    """What was read of one student's code.

    Attributes:
        code: its forms.
        unread: what could not be read, and why, as parts of a sentence.
    """

    code: Formed = field(default_factory=lambda: Formed({}, {}))
    unread: list[str] = field(default_factory=list)


class Reader:
    """A context in which students' code is read; no text can keep it longer than ``ALL`` seconds for each student."""

    def __init__(self, piece: float = PIECE, whole: float = ALL) -> None:
        self.piece, self.whole, self.left = piece, whole, whole
        self.process: subprocess.Popen[bytes] | None = None
        self.channel: Connection | None = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def read(self, notebook: Mapping[str, Any], files: Path) -> Read:
        """The code of a rebuilt notebook and of the files beside it."""
        cells = [cell for cell in notebook.get("cells", []) if str(cell.get("id", "")).startswith("extra-")]
        pieces: dict[str, dict[str, Any]] = {AROUND: {"cells": cells, "files": str(files)}}
        pieces |= {name: {"answer": [name, text]} for name, text in answers_of(notebook).items()}
        found, self.left = Read(), self.whole
        for name, piece in reversed(pieces.items()):
            try:
                code = self._asked(piece)
            except (OSError, EOFError, ValueError) as error:
                self._end()
                found.unread.append(f"{name[:LONGEST_NAME]} ({error or 'the process ended'})")
            else:
                found.code = Formed({**found.code.answers, **code.answers}, {**found.code.units, **code.units})
        return found

    def _asked(self, piece: Mapping[str, Any]) -> Formed:
        """The forms of a piece.

        Raises:
            OSError, EOFError, ValueError: the process cannot be started, takes too long, ended, or says what is not understood.
        """
        seconds = min(self.piece, self.left)
        if seconds <= 0:
            raise TimeoutError("no time was left")
        channel = self._started()
        began = time.monotonic()
        channel.send_bytes(json.dumps(piece).encode())
        answered = channel.poll(seconds)
        self.left -= time.monotonic() - began
        if not answered:
            raise TimeoutError(f"not read after {seconds:.0f} s")
        said = json.loads(channel.recv_bytes())
        if "error" in said:
            raise ValueError(said["error"])
        answers, units = ({name: Form(*one) for name, one in said[key].items()} for key in ("answers", "units"))
        return Formed(answers, units)

    def _started(self) -> Connection:
        if self.channel is not None:
            return self.channel
        mine, theirs = socket.socketpair()
        with theirs:
            paths = [str(Path(__file__).resolve().parents[2]), *filter(None, sys.path)]
            self.channel = Connection(mine.detach())
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "autograder.grading.similar_apart", str(theirs.fileno()), str(os.getpid())],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[theirs.fileno()],
            )  # fmt: skip
        if not self.channel.poll(START):
            raise TimeoutError("the process that reads code did not begin")
        self.channel.recv_bytes()
        return self.channel

    def _end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        if self.channel is not None:
            with suppress(OSError):
                self.channel.close()
        self.process = self.channel = None


def forms_of(piece: Mapping[str, Any]) -> Formed:
    """The forms of one answer, or of what stands outside of the answers."""
    if "answer" in piece:
        name, text = piece["answer"]
        return formed({name: text}, {})
    return formed({}, added_code({"cells": piece["cells"]}, Path(piece["files"])))


def _said(piece: Mapping[str, Any]) -> dict[str, Any]:
    try:
        code = forms_of(piece)
    except Exception as error:  # whatever a student hands in, the next one's code is read
        return {"error": type(error).__name__}
    return {"answers": dict(code.answers), "units": dict(code.units)}


def _requests(channel: Connection) -> Iterator[bytes]:
    try:
        while True:
            yield channel.recv_bytes()
    except EOFError:
        return


def main(handle: str, parent: str) -> int:
    """Answer with forms until nobody asks any more."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):
        return 1
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    import IPython.core.inputtransformer2  # noqa: F401  # so that no student's time is spent on it

    channel = Connection(int(handle))
    channel.send_bytes(b"ready")
    for request in _requests(channel):
        channel.send_bytes(json.dumps(_said(json.loads(request))).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
