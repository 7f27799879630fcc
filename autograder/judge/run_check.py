"""One check, run in the judge's own process against a kernel it does not trust."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import random
import resource
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch

from autograder.judge import hints, promised, renamed, trace
from autograder.judge.files import HandedIn, Private
from autograder.judge.hints import CheckOutcome, CheckTimeout
from autograder.records import DECLARED, Check, Status, Verdict
from autograder.sandbox.kernel import GRACE_SECONDS, Kernel, KernelStopped, Student
from course_utils.checks.forbidden import forbidden_names, parsed, refusal
from course_utils.checks.promised import NOTHING
from course_utils.checks.promises import Promises
from course_utils.checks.selfcheck import Checker, CheckFailed
from course_utils.errors import CourseError

renamed.install()  # for the imports in checks of a release of version 0.1

ROOM = 8 * 2**30  # bytes that a check may allocate in the judge in addition to those in use
_TICK = 0.2
EFFORT = 1e7  # of translating IPython's lines of an answer, about a second
UNCOUNTED = (
    "the calls that your code makes could not be counted: leave torch's profiler and torch's own modules as they are"
)


def itself(declared: Promises) -> promised.Drawn:
    """The declaration, which draws its trials anew in each judgement."""
    return declared


class JudgeChecker(Checker):
    """A Checker that counts comparisons, because a check without any must not give points."""

    def __init__(self, id: str, seed: int) -> None:
        super().__init__(id, seed)
        self.decisions = 0
        self.credited = False

    def that(self, condition: Any, hint: str) -> None:
        super().that(condition, hint)
        self.decisions += 1

    def equal(self, got: Any, want: Any, hint: str) -> None:
        super().equal(got, want, hint)
        self.decisions += 1

    def close(self, got: Any, want: Any, hint: str, atol: float = 1e-6, rtol: float = 1e-5) -> None:
        super().close(got, want, hint, atol, rtol)
        self.decisions += 1

    def credit(self, fraction: float) -> None:
        """Set the share of the points, limited to 0..1; NaN counts as 0."""
        fraction, self.credited = float(fraction), True
        self.fraction = min(max(fraction, 0.0), 1.0) if fraction == fraction else 0.0
        self.decisions += 1


class Session:
    """The object named ``check`` in one check cell: ``with check(id) as c`` raises when the check fails."""

    def __init__(self, check: Check, kernel: Kernel, answer: str, others: Sequence[str], seed: int) -> None:
        self.id, self.kernel, self.answer, self.others = check.id, kernel, answer, others
        self.checker = JudgeChecker(check.id, seed)
        self.forbidden: tuple[str, ...] = ()
        self.part = ""  # of the points whose trial is being asked
        self.entered = self.left = 0

    def __call__(self, id: str, forbid: Iterable[str] = (), seed: int | None = None) -> Session:
        if id != self.id:
            raise ValueError(f"the check of {self.id!r} calls itself {id!r}")
        self.forbid(tuple(forbid))
        return self

    def at(self, part: str) -> None:
        """Note the part of the points that is asked now."""
        self.part = part

    def forbid(self, names: Sequence[str]) -> None:
        """Refuse an answer that uses one of these, and count calls from now on; most checks forbid nothing."""
        if names:
            self.forbidden = tuple(names)
            self._refuse(forbidden_names(self.answer, names, self.others))

    def _refuse(self, found: list[str]) -> None:
        if found:
            raise CheckFailed(refusal(found))

    def __enter__(self) -> Checker:
        self.entered += 1
        if self.forbidden and not trace.start(self.kernel, self.forbidden):
            raise CheckFailed(UNCOUNTED)
        return self.checker

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        self.left += error is None
        if self.forbidden and self.kernel.alive:
            called = trace.stop(self.kernel, self.forbidden)
            if error is None and called is None:
                raise CheckFailed(UNCOUNTED)
            if error is None:
                self._refuse(called or [])

    def decided(self) -> None:
        """Count a plain ``assert`` of the check's text that was true; called after each."""
        self.checker.decisions += 1

    @property
    def silent(self) -> bool:
        """Whether the check compared nothing or was not left normally, so that it cannot have passed."""
        return not self.entered or self.left != self.entered or not self.checker.decisions


class _Counted(ast.NodeTransformer):
    """A transformer that adds a call after every assert, which counts it."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        call = ast.parse("__decided__()").body[0]
        return [node, *(ast.copy_location(part, node) for part in [call])]


def compiled(check: Check) -> Any:
    """The check's text as code, with asserts even under ``python -O``; tracebacks can show its lines."""
    name = f"<check {check.id}>"
    lines = [line + "\n" for line in check.source.split("\n")]
    linecache.cache[name] = (len(check.source), None, lines, name)
    tree = ast.fix_missing_locations(_Counted().visit(ast.parse(check.source, name)))
    return compile(tree, name, "exec", optimize=0, dont_inherit=True)


@contextlib.contextmanager
def alarm(seconds: float, *, cpu: bool = False) -> Iterator[None]:
    """Raise CheckTimeout in the main thread after ``seconds``, and repeatedly until the block is left.

    Args:
        cpu: count this process's CPU seconds, of all its threads: what else runs on the machine then decides nothing.
    """
    timer, number = (signal.ITIMER_PROF, signal.SIGPROF) if cpu else (signal.ITIMER_REAL, signal.SIGALRM)

    def ring(signum: int, frame: FrameType | None) -> None:
        raise CheckTimeout

    before = signal.signal(number, ring)
    signal.setitimer(timer, max(seconds, 0.01), _TICK)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)


@contextlib.contextmanager
def bounded_memory(room: int = ROOM) -> Iterator[None]:
    """Set a soft limit on this process's address space, so that a check cannot use up the machine's memory."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    bound = used + room if soft == resource.RLIM_INFINITY else min(soft, used + room)
    resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@contextlib.contextmanager
def deterministic(seed: int) -> Iterator[None]:
    """Seed all generators, use one thread, suppress output and warnings, and restore torch's settings afterwards.

    One thread, because several judges run at the same time: with more threads than cores a check was up to nine times
    slower on two cores and reached its time limit.
    """
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)
    dtype, grad, threads = torch.get_default_dtype(), torch.is_grad_enabled(), torch.get_num_threads()
    quiet = io.StringIO()
    try:
        torch.set_num_threads(1)
        with warnings.catch_warnings(), contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(grad)
        torch.set_num_threads(threads)


def run_check(
    check: Check,
    kernel: Kernel,
    answer: str,
    handin: HandedIn,
    private: Private,
    seed: int,
    others: Sequence[str] = (),
    trials_of: Callable[[Promises], promised.Drawn] = itself,
    without: Mapping[str, str] = NOTHING,
) -> tuple[Verdict, str]:
    """Run one check once against the kernel in its present state. The hint may depend on the seed: it is for the instructor.

    Args:
        check: text, points and time limit, from the release.
        kernel: holds the student's names.
        answer: text of the student's answer cell, searched for forbidden names.
        seed: for ``c.rng``, ``c.np_rng``, ``c.torch_rng`` and the global generators.
        others: texts of the student's other cells, searched as far as the answer uses their names.
        trials_of: what gives the fresh trials of a declaration; its own, unless many answers are held to the same ones.
        without: parts of the points that are not asked, each with the reason.

    Returns:
        The verdict, and a note for the instructor ("" if there is nothing to say).

    Raises:
        CourseError: not called in the main thread, the only one with an alarm signal.
    """
    outcome, seconds = attempt(check, kernel, answer, handin, private, seed, others, trials_of, without)
    points = round(check.points * outcome.fraction, 6)
    verdict = Verdict(check.id, outcome.status, points, check.points, outcome.hint, outcome.detail, seconds, seed)
    return verdict, own_error(check, outcome)


def attempt(
    check: Check,
    kernel: Kernel,
    answer: str,
    handin: HandedIn,
    private: Any,
    seed: int,
    others: Sequence[str] = (),
    trials_of: Callable[[Promises], promised.Drawn] = itself,
    without: Mapping[str, str] = NOTHING,
) -> tuple[CheckOutcome, float]:
    """As :func:`run_check`, but return the outcome and the wall time in seconds.

    ``without``: parts of the points that are not asked, each with the reason.
    """
    if threading.current_thread() is not threading.main_thread():
        raise CourseError("checks need the main thread of a process: run execute() in a process pool, not in threads")
    started = time.monotonic()
    kernel.deadline = started + check.timeout
    session = Session(check, kernel, answer, others, seed)
    try:
        with alarm(check.timeout + GRACE_SECONDS + 1), bounded_memory(), deterministic(seed):
            outcome = _attempt(check, session, Student(kernel), handin, private, trials_of, without)
            if outcome.hint == hints.UNNAMED and parsed(answer, EFFORT) is None:
                outcome = replace(outcome, status="error", hint=hints.NO_PYTHON)
    except CheckTimeout:  # raised while one of the blocks above was entered or left
        outcome = CheckOutcome("timeout", hints.TOO_LONG)
    finally:
        kernel.deadline = float("inf")
        signal.setitimer(signal.ITIMER_REAL, 0)
    kernel.forget()
    return outcome, round(time.monotonic() - started, 3)


def _attempt(
    check: Check,
    session: Session,
    student: Student,
    handin: HandedIn,
    private: Any,
    trials_of: Callable[[Promises], promised.Drawn],
    without: Mapping[str, str],
) -> CheckOutcome:
    names = {"check": session, "student": student, "handin": handin, "private": private, "__decided__": session.decided}
    scope: dict[str, Any] = {"__name__": f"check_{check.id}", **names}
    try:
        exec(compiled(check), scope)
        if DECLARED in scope:
            return _promised(session, scope[DECLARED](), student, trials_of, without)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise  # the instructor stopped the grader
        outcome = hints.explain(error, len(session.answer.split("\n")))
        return replace(outcome, stopped=session.part) if isinstance(error, CheckTimeout | KernelStopped) else outcome
    if session.silent:
        return CheckOutcome("error", hints.SILENT, "no comparison was made")
    fraction, credited = session.checker.fraction, session.checker.credited
    status: Status = "passed" if fraction == 1 else "partial" if fraction > 0 else "failed"
    return CheckOutcome(status, "" if fraction else hints.NOTHING_RIGHT, fraction=fraction, credited=credited)


def _promised(
    session: Session,
    declared: Promises,
    student: Student,
    trials_of: Callable[[Promises], promised.Drawn],
    without: Mapping[str, str],
) -> CheckOutcome:
    """How a check ends whose text is a declaration."""
    paths = session.kernel.paths
    entry = promised.entry_for(paths.public, paths.assignment, session.id)
    session.forbid(tuple(declared.forbid))
    with session as checker:
        lines = len(session.answer.split("\n"))
        outcome, made = promised.judge(
            trials_of(declared), entry, student, checker.seed, lines, without=without, at=session.at
        )
        session.checker.decisions += made
    return CheckOutcome("error", hints.SILENT, "no comparison was made") if session.silent else outcome


def own_error(check: Check, outcome: CheckOutcome) -> str:
    """A sentence for the instructor when the check itself, and not the student's work, may be wrong; else ""."""
    if outcome.status == "error" and outcome.hint.startswith((hints.UNUSABLE, hints.SILENT)):
        return f"check {check.id}: it ended with an error of its own; look at its detail"
    return ""
