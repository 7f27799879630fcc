"""A small class that hands in again and again, graders that are hurt while they grade, and the books after it."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.grading import store
from autograder.grading.gradebook import marks
from tests.autograder.tiny_course import NAME, FakeRelease, hand_in, make_release, solved
from tests.paths import ROOT

STUDENTS = ("ann", "ben", "zoe")
ANSWERS = {"x + 1": 1.0, "x + 0.5": 0.5, "x": 0.0}
LEFT_SECONDS = 30.0  # a process that is being born first imports its modules; a starved machine takes long


@dataclass
class Books:
    """What was wrong after the run that followed a fault; all zero where everything is as it should be."""

    lost: int = 0
    doubled: int = 0
    changed: int = 0
    left_running: int = 0
    crashes: int = 0
    words: list[str] = field(default_factory=list)

    def __add__(self, other: Books) -> Books:
        """Sums."""
        pairs = [(getattr(self, name), getattr(other, name)) for name in self.__dataclass_fields__]
        return Books(*(a + b for a, b in pairs))

    @property
    def fine(self) -> bool:
        """Whether nothing was wrong."""
        return not (self.lost or self.doubled or self.changed or self.left_running or self.crashes)


class Office:
    """A release, a class, and graders. Use it as a context manager: it ends what it started."""

    def __init__(self, base: Path, seed: int = 0, *, always: dict[str, Any] | None = None) -> None:
        self.base, self.rng, self.always = base, random.Random(seed), always or {}
        self.cycle = 0
        self.expected: dict[str, tuple[float, float, str]] = {}
        self.verdicts: dict[str, Counter[str]] = {}  # as the books had them after the last fault
        self.tokens: list[str] = []
        make_release(base / "release")

    def __enter__(self) -> Office:
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        # no main module that every judge would import anew
        command = [sys.executable, "-c", "from tests.faults.nursery import main; main()"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.nursery = subprocess.Popen(command, env=env, cwd=ROOT, **pipes)  # type: ignore[call-overload]
        return self

    def __exit__(self, *_: object) -> None:
        self.nursery.stdin.close()
        self.nursery.wait(timeout=180)
        for pid in self.left():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _ask(self, **command: Any) -> int:
        self.nursery.stdin.write(json.dumps(command) + "\n")
        self.nursery.stdin.flush()
        return int(json.loads(self.nursery.stdout.readline()))

    # -- the class

    def new_work(self, count: int = 2) -> None:
        """Some students hand in something else than before (all of them the first time)."""
        self.cycle += 1
        chosen = self.rng.sample(STUDENTS, count) if self.expected else STUDENTS
        for student in chosen:
            london, paris = self.rng.choice(list(ANSWERS)), self.rng.choice(list(ANSWERS))
            work = solved(f"return {london}", f"return {paris}", f"cycle {self.cycle}")
            shutil.rmtree(self.base / "subs" / student, ignore_errors=True)
            hand_in(self.base / "subs" / student, work)
            self.expected[student] = (2 * ANSWERS[london], 3 * ANSWERS[paris], f"cycle {self.cycle}")

    # -- graders

    def start(self, **faults: Any) -> int:
        """A grader that has begun; its process id."""
        self.tokens.append(uuid.uuid4().hex)
        return self._ask(do="start", base=str(self.base), token=self.tokens[-1], faults=self.always | faults)

    def end(self, pid: int) -> int:
        """Wait for a grader; its exit code, or minus the signal that killed it."""
        return os.waitstatus_to_exitcode(self._ask(do="wait", pid=pid))

    def grade(self, **faults: Any) -> int:
        """One grader from beginning to end."""
        return self.end(self.start(**faults))

    def family(self) -> list[int]:
        """Processes that the graders started: fork servers, judges, sandboxes."""
        found = []
        marks_ = [token.encode() for token in self.tokens[-3:]]
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):
                    text = (entry / "environ").read_bytes()
                    if any(mark in text for mark in marks_):
                        found.append(int(entry.name))
        return found

    def victims(self, grader: int) -> dict[str, list[int]]:
        """The grader's family by what each is: ``server`` (of multiprocessing), ``judge``, ``sandbox``."""
        found: dict[str, list[int]] = {"server": [], "judge": [], "sandbox": []}
        for pid in self.family():
            with suppress(OSError, IndexError, ValueError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes()
                parent = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
                if b"forkserver" in words:
                    found["server" if parent == grader else "judge"].append(pid)
                elif b"bwrap" in words or words.startswith(b"cat"):
                    found["sandbox"].append(pid)
        return found

    def left(self) -> list[int]:
        """What still runs some seconds after the graders have ended."""
        deadline = time.monotonic() + LEFT_SECONDS
        while (found := self.family()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    @staticmethod
    def _command(pid: int) -> str:
        with suppress(OSError):
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:80]
        return "gone"

    # -- the books

    def books(self, *, again: bool = True) -> Books:
        """Grade once more (unless told not to) and compare ledger, results and gradebook with what was handed in."""
        left = self.left()
        names = [self._command(pid) for pid in left]
        found = Books(left_running=len(left), words=[f"still running: {', '.join(names)}"] if left else [])
        if again:
            code = self.grade()
            found.words += [f"the run after the fault ended with {code}: {self.log()[-300:]}"] if code else []
        found.crashes = self.log().count("CRASH")
        found.words += [self.log()[-1500:]] if found.crashes else []
        release = FakeRelease(self.base / "release")
        for student, (london, paris, mark) in self.expected.items():
            try:
                self._student(release, student, (london, paris), mark, found)
            except Exception as error:
                found.lost += 1
                found.words.append(f"{student}: {type(error).__name__}: {error}"[:300])
        (self.base / "log.txt").unlink(missing_ok=True)
        return found

    def log(self) -> str:
        """What graders wrote since the last look at the books."""
        path = self.base / "log.txt"
        return path.read_text(errors="replace") if path.exists() else ""

    def _student(
        self, release: FakeRelease, student: str, points: tuple[float, float], mark: str, found: Books
    ) -> None:
        ledger = store.open_ledger(release)
        standing = ledger.standings()[(NAME, student)]
        stored = store.of_ledger(release, NAME, student, standing)
        newest = stored.intake.notebook["cells"][-1]["source"]
        book = marks(release, NAME, student)
        if mark not in newest or not standing.recorded or not book:
            found.lost += 1
            found.words.append(
                f"{student}: {mark} is not in the books ({newest[-10:]!r}, recorded {standing.recorded})"
            )
            return
        scores = (book["check-london"].score, book["check-paris"].score)
        if scores != points or standing.points != sum(points):
            found.changed += 1
            found.words.append(f"{student}: {scores} in the gradebook, {standing.points} in the ledger, not {points}")
        verdicts = Counter(e.data["sha256"] for e in ledger if e.kind == "verdict" and e.data["student"] == student)
        rows = self._rows(student)
        before = self.verdicts.get(student, Counter())
        self.verdicts[student] = verdicts
        twice = [sha for sha, count in verdicts.items() if count > max(1, before[sha])]
        if twice or rows != 1:
            found.doubled += 1
            found.words.append(f"{student}: two verdicts of the same work in {len(twice)} cases, {rows} submissions")

    def _rows(self, student: str) -> int:
        with closing(sqlite3.connect(self.base / "release" / "instructor" / "gradebook.db")) as book:
            query = "SELECT count(*) FROM submitted_assignment WHERE student_id = ?"
            return int(book.execute(query, (student,)).fetchone()[0])
