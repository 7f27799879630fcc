"""Grades a class: intake and judge in one process per submission, one writer for ledger and gradebook, resumable."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tqdm import tqdm

from autograder.grading.ledger import Ledger, Standing
from autograder.grading.settings import Settings
from autograder.grading.store import (
    ReleaseLike,
    Stored,
    course_dir,
    find_stored,
    load_stored,
    open_ledger,
    result_path,
    write_atomic,
)
from autograder.grading.worker import Pool, Task
from autograder.intake.discover import Found, discover
from autograder.records import Job
from autograder.release.read import load_release
from course_utils.errors import CourseError


@dataclass
class Outcome:
    """What became of one submission.

    ``state``: ``graded``, ``unchanged`` (graded before, the same work), ``refused`` (intake said no), or ``dead``,
    ``timeout`` and ``error`` (the judge's process ended, hung or failed), ``unrecorded`` (nbgrader would not take it).
    """

    student: str
    state: str
    points: float = 0.0
    max_points: float = 0.0
    notes: list[str] = field(default_factory=list)
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether the submission has its verdicts."""
        return self.state in ("graded", "unchanged")


@dataclass
class Summary:
    """The outcome of a run; ``exit_code`` is 0 all graded, 1 some could not be graded, 130 interrupted."""

    assignment: str
    release: str
    outcomes: list[Outcome] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """The command line's exit code."""
        if self.interrupted:
            return 130
        return 0 if all(one.ok for one in self.outcomes) else 1

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self) | {"exit_code": self.exit_code}


def grade(
    submissions: Path | str,
    release: ReleaseLike | Path | str,
    out: Path | str,
    assignment: str,
    settings: Settings = Settings(),
) -> Summary:
    """Grade every submission of one assignment.

    Args:
        submissions: anything :func:`autograder.intake.discover.discover` understands.
        release: a release folder, or the opened release.
        out: folder for the summary and the unpacked hand-ins.
        settings: how many at a time, with which limits, whether to resume.

    Raises:
        CourseError: nothing to grade, no such release, no sandbox, a damaged ledger, or nothing can be written.
    """
    start = time.monotonic()
    if settings.execute is None and settings.scheduler is None and shutil.which("bwrap") is None:
        raise CourseError("no sandbox here, so nothing is graded; install bubblewrap (apt install bubblewrap)")
    opened: ReleaseLike = load_release(release) if isinstance(release, Path | str) else release
    run = _Run(opened, Path(out).resolve(), assignment, settings)
    run.all(run.tasks(discover(submissions)))
    run.finish(time.monotonic() - start)
    return run.summary


class _Run:
    """One call of :func:`grade`: the only writer of ledger, results and gradebook."""

    def __init__(self, release: ReleaseLike, out: Path, assignment: str, settings: Settings) -> None:
        self.release, self.out, self.assignment, self.settings = release, out, assignment, settings
        self.skeleton, checks = release.skeleton(assignment), release.checks(assignment)
        root = Path(release.root).resolve()
        private = root / "private" / assignment
        self.job = Job("", assignment, {}, out, checks, root / "student", private, settings.seed)
        # the judge has limits of its own (15 minutes of cells, each check its own): this one is for a judge that hangs
        self.wall = settings.wall or 1200.0 + 2 * sum(check.timeout for check in checks.values())
        self.ledger: Ledger = open_ledger(release)
        self.standings = self.ledger.standings()
        self.summary = Summary(assignment, release.id)
        self.pending: list[tuple[Outcome, Stored]] = []

    def tasks(self, found: Sequence[Found]) -> list[Task]:
        """One task per submission; a submission that was received before keeps its time of arrival."""
        self.answers = Path(tempfile.mkdtemp(prefix="answers-", dir=_ready(self.out)))
        return [self._task(one, self.standings.get((self.assignment, one.student))) for one in found]

    def _task(self, one: Found, standing: Standing | None) -> Task:
        known = ""
        if self.settings.resume and standing and standing.verdict and not standing.forced:
            same = standing.verdict.get("release") == self.release.id
            kept = result_path(course_dir(self.release), self.assignment, one.student).exists()
            known = standing.verdict["sha256"] if same and kept else ""
        dest = self.out / "intake" / self.assignment / one.student
        job = replace(self.job, student=one.student)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        answer = self.answers / f"{one.student}.json"
        return Task(one, self.assignment, self.skeleton, job, dest, answer, known, self.settings.memory, now)

    def all(self, tasks: Sequence[Task]) -> None:
        """Judge every task, then write the gradebook; an interruption is noted, and what is done stays done."""
        quiet = not self.settings.progress
        bar = tqdm(total=2 * len(tasks), desc=f"grading {self.assignment}", unit="step", disable=quiet)
        try:
            for task, text in self.judged(tasks):
                bar.update(1 if self.accept(task, text) else 2)  # what is not graded needs no entry in the gradebook
            for _ in self.replay():
                bar.update()
        except KeyboardInterrupt:
            self.summary.interrupted = True
        finally:
            bar.close()
            shutil.rmtree(self.answers, ignore_errors=True)

    def judged(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, str]]:
        """Judge in processes here or on a Dask cluster; yields tasks with their answers as they end.

        On a cluster files travel with the task; the release must be visible to the workers.
        """
        how = self.settings
        if how.scheduler is None:
            yield from Pool(self.wall, how.execute).run(tasks, how.workers)
            return
        from autograder.grading.dask import over_dask

        yield from over_dask(tasks, how.scheduler, how.execute)

    def accept(self, task: Task, text: str) -> bool:
        """Enter one answer in the ledger and keep the result; says whether there is one."""
        student, data = task.found.student, json.loads(text)
        if "result" not in data and data["state"] != "unchanged":
            who = {"student": student, "assignment": self.assignment}
            self.ledger.append("refused", **who, state=data["state"], reason=data["reason"])
            self.summary.outcomes.append(Outcome(student, data["state"], reason=data["reason"]))
            return False
        path = result_path(course_dir(self.release), self.assignment, student)
        if "result" in data:
            from autograder.grading.gradebook import log_verdict

            write_atomic(path, text)
            log_verdict(self.release, load_stored(path))
        stored = load_stored(path)
        outcome = Outcome(student, data.get("state", "graded"), notes=[*stored.intake.notes, *stored.result.notes])
        self.summary.outcomes.append(outcome)
        self.pending.append((outcome, stored))
        return True

    def replay(self) -> Iterator[Outcome]:
        """Write what the gradebook does not have yet, one student after the other."""
        from autograder.grading.gradebook import record

        table = self.ledger.standings()
        for outcome, stored in sorted(self.pending, key=lambda pair: pair[0].student):
            standing = table[(self.assignment, outcome.student)]
            outcome.points, outcome.max_points = standing.points, stored.result.max_points
            points = {name: float(data["points"]) for name, data in standing.overrides.items()}
            try:
                if not standing.recorded:
                    outcome.notes += record(self.release, stored.result, stored.intake, points, standing.lapsed)
                    self.ledger.append("recorded", student=outcome.student, assignment=self.assignment)
            except CourseError as error:
                outcome.state, outcome.reason = "unrecorded", str(error)
            yield outcome

    def finish(self, seconds: float) -> None:
        """Sort and keep the summary."""
        self.summary.outcomes.sort(key=lambda one: one.student)
        self.summary.seconds = round(seconds, 3)
        write_atomic(self.out / f"{self.assignment}.json", json.dumps(self.summary.to_json(), indent=1))


def _ready(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise CourseError(f"{folder}: cannot be written ({error.strerror}); choose another --out") from error


def replay_student(release: ReleaseLike, assignment: str, student: str) -> list[str]:
    """Write one student's standing in the ledger into nbgrader; returns notes.

    Raises:
        CourseError: the result that the ledger speaks of is gone, or nbgrader does not take it.
    """
    from autograder.grading.gradebook import record

    ledger = open_ledger(release)
    standing = ledger.standings().get((assignment, student), Standing())
    stored = find_stored(course_dir(release), assignment, student)
    if not standing.verdict or stored is None or stored.intake.sha256 != standing.verdict["sha256"]:
        raise CourseError(f"{student}: the ledger's result is not in {course_dir(release) / 'results'}; grade again")
    points = {key: float(data["points"]) for key, data in standing.overrides.items()}
    notes = record(release, stored.result, stored.intake, points, standing.lapsed)
    ledger.append("recorded", student=student, assignment=assignment)
    return notes


def rebuild_gradebook(release: ReleaseLike, assignment: str, progress: bool = True) -> list[str]:
    """Write every standing of the ledger into nbgrader again; returns notes. Raises as :func:`replay_student`."""
    standings = open_ledger(release).standings()
    graded = sorted(student for (name, student), one in standings.items() if name == assignment and one.verdict)
    bar = tqdm(graded, disable=not progress, desc="gradebook")
    return [note for student in bar for note in replay_student(release, assignment, student)]
