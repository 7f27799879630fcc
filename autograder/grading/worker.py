"""One submission in a process of its own: take in, judge, write the answer; a pool that bounds and ends such processes."""

from __future__ import annotations

import ctypes
import errno
import json
import multiprocessing
import os
import resource
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing import forkserver
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import psutil

from autograder.grading.earlier import first, sentence
from autograder.grading.placing import put
from autograder.grading.progress import Running
from autograder.grading.store import stored_json, write_atomic
from autograder.intake.discover import Found, Intake, take_in
from autograder.intake.handin import content_sha
from autograder.intake.own import UNSIGNED, Judged, Mark, copied
from autograder.intake.rebuild import notebook_sha
from autograder.judge import preload
from autograder.judge.limits import longest
from autograder.records import Check, Job, Result
from autograder.sandbox import neutral
from course_utils.errors import CourseError, MachineError

GIB = 2**30
PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
SWEEPS = 100  # rounds in which orphans are killed
STARTS = 3  # attempts to start one process
# What a machine is short of: room, files that may be open, memory; or its disk fails
SHORT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
ORPHAN, UNWRITTEN = 70, 74  # exit codes of a process: no grader is left, its answer could not be written


COPY = (
    "in these submissions is the grader's own copy of what was graded, without files and pictures that were handed in; to judge "
    "that again give the student's own hand-in, or python -m autograder regrade"
)
# What the ledger says of a hand-in that a copy of it does not
OF_HANDIN = ("notes", "received", "archive_time", "name", "lms_id", "late", "platform", "sid", "email", "timed")
Execute = Callable[[Job], Result]


@dataclass(frozen=True)
class Task:
    """What one process works on; it pickles."""

    found: Found
    assignment: str
    skeleton: dict[str, Any]
    job: Job
    dest: Path
    answer: Path
    known: str
    memory: int
    received: str
    before: str = ""  # hash of the work that stands
    stood: Mapping[str, Any] = field(default_factory=dict)  # the ledger's entry of its arrival
    kept: bool = False  # whether its result is there
    earlier: Mapping[str, str] = field(default_factory=dict)  # hash of work that was replaced, and when it came
    late: bool | None = None  # whether this came later than what stands, by the platform's clock; None: it does not say
    intake: Intake | None = None  # a hand-in that was taken in before, with its files
    judged: Mapping[str, Judged] = field(default_factory=dict)  # by hash, how copies of earlier hand-ins are known
    key: bytes = b""  # signs the copies; a worker on another machine has the release's secret no other way


def default_execute() -> Execute:
    """The real judge, imported where it is needed (it imports torch)."""
    from autograder.judge.execute import execute

    return execute


def bound_memory(extra: int) -> None:
    """Let this process grow by ``extra`` bytes of address space and no more (a hostile answer may not fill the machine)."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = used + extra if hard == resource.RLIM_INFINITY else min(used + extra, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def die_with_grader() -> None:
    """End this process when the grader ends, however that ends: a judge without a grader only uses up the machine.

    The kernel sends SIGKILL when the parent process dies. That parent is multiprocessing's fork server, which ends with
    the grader, too (``mortal``), and when nobody holds its pipe any more; this process gives up its own end. A grader
    that died before these lines is found by its closed pipe. A thread watches that pipe, too.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the fork server's way to end is not ours
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    server: Any = forkserver._forkserver
    held = getattr(server, "_forkserver_alive_fd", None)
    if held is not None:
        server._forkserver_alive_fd = None
        with suppress(OSError):
            os.close(held)
    grader = multiprocessing.parent_process()
    if grader is None:
        return
    if wait([grader.sentinel], 0):
        os._exit(ORPHAN)
    threading.Thread(target=_follow, args=(grader.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    wait([sentinel])
    os.kill(os.getpid(), signal.SIGKILL)


def work(task: Task, execute: Execute | None = None) -> None:
    """Body of one process: take in, judge, write the answer file. Every failure becomes a state in that file."""
    die_with_grader()
    with suppress(OSError):
        os.setsid()  # Ctrl-C goes to the parent alone, which then ends what is under way
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the fork server ignores it
    bound_memory(task.memory)
    try:
        text = _answer(task, execute or default_execute())
    except MachineError as error:
        text = json.dumps({"state": "error", "reason": f"{error}; the hand-in is not at fault"})
    except CourseError as error:
        # the id stands before every line already
        text = json.dumps({"state": "refused", "reason": str(error).removeprefix(f"{task.found.student}: ")})
    except MemoryError:
        text = json.dumps({"state": "error", "reason": "the judge ran out of memory"})
    except Exception as error:
        text = json.dumps({"state": "error", "reason": _failed(error)})
    try:
        write_atomic(task.answer, text)
    except CourseError:
        os._exit(UNWRITTEN)


def _failed(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno in SHORT:
        return f"the grader's machine says: {error.strerror}; mend that and grade again, the hand-in is not at fault"
    return f"the judge failed: {type(error).__name__}: {error}"[:500]


def _answer(task: Task, execute: Execute) -> str:
    if task.late is False:
        return json.dumps({"state": "unchanged", "reason": sentence(task.found.student, "")})
    intake = _as_before(task.intake) if task.intake else _taken(task)
    sha = copied(intake.mark, intake.notebook_sha, intake.files, task.judged, task.before, task.key)
    notes = [*intake.notes, UNSIGNED] if intake.mark.said and not sha else intake.notes
    intake = replace(intake, mark=Mark(), notes=notes)
    if sha and sha == task.before:
        again = _of_copy(task, intake, sha)
        if isinstance(again, str):
            return again
        intake = replace(again, came_as=task.stood.get("came_as") or again.came_as)
    elif task.late is None and (sha or intake.sha256) in task.earlier:
        shutil.rmtree(_aside(task), ignore_errors=True)
        came = task.earlier[sha or intake.sha256]
        return json.dumps({"state": "unchanged", "reason": sentence(intake.student, came), "copy": bool(sha)})
    elif task.intake is None:
        intake = _placed(task, intake)
    if intake.sha256 == task.known:
        return json.dumps({"state": "unchanged"})
    if intake.sha256 == task.before and task.stood.get("came_as", "") in ("", intake.came_as):
        # judged again: it did not come later for that. Another id of the person has an arrival of its own
        intake = _as_first(intake, task.stood.get("received", task.received), bool(task.stood.get("timed")))
    result = execute(replace(task.job, notebook=intake.notebook, files=intake.files))
    return stored_json(result, intake)


def _of_copy(task: Task, intake: Intake, sha: str) -> Intake | str:
    """What stands, where the grader's own copy of it was given: the whole hand-in if it is to be judged again, and its
    files are there, or it had none; else the answer that nothing changes."""
    said = {"state": "unchanged", "copy": True}
    if not task.known and intake.sha256 == sha:
        return _placed(task, intake) if task.intake is None else intake
    shutil.rmtree(_aside(task), ignore_errors=True)
    if task.known:
        return json.dumps(said)
    files = task.dest / "files"
    if files.is_dir() and content_sha(intake.notebook_sha, files) == sha:
        own = {key: task.stood[key] for key in OF_HANDIN if key in task.stood}
        return replace(intake, files=files, sha256=sha, **own)
    return json.dumps(
        said | {"reason": f"{intake.student}: {COPY}"} if task.kept else {"state": "refused", "reason": COPY}
    )


def _as_first(intake: Intake, received: str, timed: bool) -> Intake:  # noqa: FBT001
    """The hand-in with the time of its first arrival; of two times that platforms gave the earlier one."""
    known, came = {"received": received, "timed": timed}, {"received": intake.received, "timed": intake.timed}
    return replace(intake, **first(known, came))


def _aside(task: Task) -> Path:
    return task.dest.with_name(f".{task.dest.name}.new")


def _taken(task: Task) -> Intake:
    """The hand-in, unpacked aside: one that is refused or replaced must not take the place of the files that stand."""
    return take_in(task.found, task.assignment, task.skeleton, _aside(task), received=task.received)


def _placed(task: Task, intake: Intake) -> Intake:
    put(_aside(task), task.dest)
    return replace(intake, files=task.dest / intake.files.name)


def _as_before(intake: Intake) -> Intake:
    """The hand-in, whose notebook and files must be those that were judged. Raises CourseError if they are not."""
    if content_sha(notebook_sha(intake.notebook), intake.files) != intake.sha256:
        raise CourseError(
            "the files that were handed in are gone or changed since; give the submissions to regrade, with --reason"
        )
    return intake


def _ended(code: int | None) -> str:
    if code == UNWRITTEN:
        return "the judge's answer could not be written; make room on the disk and grade again"
    return f"the judge's process ended (exit code {code})"


class Pool:
    """A process per task, each with its own wall limit; one that dies is one answer, not the end of the run."""

    def __init__(self, wall: float, execute: Execute | None = None) -> None:
        self.wall, self.execute = wall, execute
        if execute is None:
            neutral.bytecode()  # here, since it takes seconds after packages were installed: no judge's time is used up
        # a forked child of a warm template costs a tenth of a fresh import of torch
        self.context = multiprocessing.get_context("forkserver")
        modules = preload.MODULES if execute is None else (__name__, execute.__module__)
        self.context.set_forkserver_preload(["autograder.grading.mortal", *modules])
        self.running: dict[Any, tuple[Task, float]] = {}
        self.accompanied: set[str] = set()  # students who were not judged by themselves
        self.seconds: dict[str, float] = {}  # how long each took

    @classmethod
    def of(cls, checks: Iterable[Check]) -> Pool:
        """A pool with a limit above those that the judge keeps itself."""
        return cls(longest(checks))

    def run(
        self, tasks: Sequence[Task], workers: int, show: Callable[[Iterable[Running]], None] | None = None
    ) -> Iterator[tuple[Task, str]]:
        """Yield each task with its answer, in the order in which they end.

        Args:
            show: called a few times a second with what is running.
        """
        waiting = list(reversed(tasks))
        try:
            while waiting or self.running:
                while waiting and len(self.running) < workers:
                    task = waiting.pop()
                    if not self._start(task):
                        yield task, json.dumps({"state": "dead", "reason": "the judge's process could not be started"})
                wait([process.sentinel for process in self.running], timeout=0.2)
                yield from self._collect()
                if show is not None:
                    show(self._now())
        finally:
            for process in list(self.running):
                self._end(process)

    def _start(self, task: Task) -> bool:
        """Start a task's process; multiprocessing's fork server may have been killed, and is then started anew."""
        task.answer.unlink(missing_ok=True)
        for _ in range(STARTS):
            process = self.context.Process(target=work, args=(task, self.execute), daemon=False)
            try:
                process.start()
            except (OSError, EOFError):
                continue
            self.running[process] = (task, time.monotonic() + self.wall)
            if len(self.running) > 1:
                self.accompanied |= {one.found.student for one, _ in self.running.values()}
            return True
        return False

    def _now(self) -> Iterator[Running]:
        for task, deadline in self.running.values():
            if task.job.told is not None:
                yield Running(task.found.student, time.monotonic() + self.wall - deadline, task.job.told)

    def _collect(self) -> Iterator[tuple[Task, str]]:
        for process, (task, deadline) in list(self.running.items()):
            self.seconds[task.found.student] = time.monotonic() + self.wall - deadline
            if not process.is_alive():
                reason = _ended(process.exitcode)
                self._end(process)
                yield task, self._read(task, {"state": "dead", "reason": reason})
            elif time.monotonic() > deadline:
                self._end(process)
                yield task, json.dumps({"state": "timeout", "reason": f"not finished after {self.wall:.0f} s"})

    def _read(self, task: Task, otherwise: dict[str, str]) -> str:
        try:
            return task.answer.read_text(encoding="utf-8")
        except OSError:
            return json.dumps(otherwise)

    def _end(self, process: Any) -> None:
        """End a process and all it started (a sandbox, a kernel), and forget it; orphans of a judge that died, too."""
        self.running.pop(process, None)
        with suppress(psutil.Error, ValueError):
            _kill([psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)])
        process.join(timeout=10)
        for _ in range(SWEEPS):
            orphans = self._orphans()
            if not orphans:
                return
            _kill(orphans)
            time.sleep(0.01)

    def _orphans(self) -> list[psutil.Process]:
        """Processes that came down to the fork server because the judge that started them is gone."""
        server: Any = forkserver._forkserver
        judges = {process.pid for process in self.running}
        try:
            top = psutil.Process(server._forkserver_pid).children()
            lost = [one for one in top if one.pid not in judges and one.status() != psutil.STATUS_ZOMBIE]
            return [member for one in lost for member in (one, *one.children(recursive=True))]
        except (psutil.Error, AttributeError, ValueError, TypeError):
            return []


def _kill(family: list[psutil.Process]) -> None:
    for member in family:
        with suppress(psutil.Error):
            member.kill()
