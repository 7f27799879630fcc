"""Grading of a class: intake and judge in one process per submission, one writer for ledger and gradebook, resumable."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tqdm import tqdm

from autograder.grading.affected import mended
from autograder.grading.again import limited, merged
from autograder.grading.answers import readable, ready, sweep
from autograder.grading.byhand import collect
from autograder.grading.database import keep, put_back
from autograder.grading.earlier import Past, after, pasts, replaced, with_written
from autograder.grading.entering import enter_all, enter_under, waiting
from autograder.grading.equal import equal_handins
from autograder.grading.identities import alike, another_number
from autograder.grading.inbox import surveyed
from autograder.grading.ledger import Ledger, Standing
from autograder.grading.lock import alone, person
from autograder.grading.marks import marks_of, other_answers, total
from autograder.grading.progress import Live
from autograder.grading.repair import note_in_gradebook, restore_end
from autograder.grading.settings import Settings
from autograder.grading.store import (
    ReleaseLike,
    copies_key,
    course_dir,
    keep_aside,
    of_ledger,
    open_ledger,
    result_path,
    settle,
    write_atomic,
)
from autograder.grading.summary import AGAIN, CHANGED, NEW, SubmissionOutcome, Summary, not_here
from autograder.grading.unplaced import apart, log_unplaced
from autograder.grading.worker import Pool, Task
from autograder.intake.discover import Found, Handins
from autograder.intake.own import require_handins
from autograder.judge.limits import longest
from autograder.records import Job
from autograder.release.prints import fingerprints
from autograder.release.read import load_release
from course_utils.errors import CourseError


def grade(
    submissions: Path | str,
    release: ReleaseLike | Path | str,
    out: Path | str,
    assignment: str,
    settings: Settings = Settings(),
) -> Summary:
    """Grade every submission of one assignment.

    Args:
        submissions: anything :func:`autograder.intake.discover.survey` understands.
        release: a release folder, or the opened release.
        out: folder for the summary and the unpacked hand-ins.
        settings: how many at a time, with which limits, whether to resume.

    Raises:
        CourseError: nothing to grade, a folder of the release itself, no such release, no sandbox, another grader on this
            release, a ledger that was changed or is damaged in its copy too, or nothing can be written.
    """
    start = time.monotonic()
    if settings.execute is None and settings.scheduler is None and shutil.which("bwrap") is None:
        raise CourseError("no sandbox here, so nothing is graded; install bubblewrap (apt install bubblewrap)")
    opened: ReleaseLike = load_release(release) if isinstance(release, Path | str) else release
    try:
        with alone(course_dir(opened), wait=settings.wait):
            notes = [put_back(course_dir(opened) / "gradebook.db"), restore_end(opened)]
            keep(course_dir(opened) / "gradebook.db")
            run = GradingRun(opened, Path(out).resolve(), assignment, settings)
            run.summary.notes += filter(None, notes)
            run.collect()
            run.enter(handins := run.survey(Path(submissions)))
            run.all(run.tasks(handins.found))
            run.collect()
            run.look_round()
            run.finish(time.monotonic() - start)
    except OSError as error:
        remedy = "make room or mend the folder, then run the same command again; nothing that was graded is lost"
        raise CourseError(f"{error.filename or out}: {error.strerror or error}; {remedy}") from error
    return run.summary


class GradingRun:
    """One call of :func:`grade` or of ``regrade``: the only writer of ledger, results and gradebook."""

    def __init__(self, release: ReleaseLike, out: Path, assignment: str, settings: Settings) -> None:
        self.release, self.out, self.assignment, self.settings = release, out, assignment, settings
        self.skeleton, checks = release.skeleton(assignment), release.checks(assignment)
        self.prints, self.key = fingerprints(release, assignment), copies_key(release)
        root = Path(release.root).resolve()
        private = root / "private" / assignment
        self.job = Job("", assignment, {}, out, checks, root / "student", private, settings.seed)
        self.wall = settings.wall or longest(checks.values())  # for a judge that hangs: it has limits of its own
        self.ledger: Ledger = open_ledger(release)
        self.people = self.ledger.people()
        self.standings = self.people.table
        self.pasts = pasts(self.people.history, assignment)
        self.summary = Summary(assignment, release.id)
        self.source = ""
        self.pending: dict[str, SubmissionOutcome] = {}
        self.seconds: dict[str, float] = {}

    def survey(self, submissions: Path) -> Handins:
        """Who handed in what. Raises CourseError for a folder of the release itself, and as ``discover.survey``."""
        require_handins(submissions, Path(self.release.root), self.out, self.settings.platform)
        who, how = self.people.identities, self.settings
        return surveyed(self.release, submissions, how.platform, how.roster, self.assignment, who)

    def enter(self, handins: Handins) -> None:
        """Note what the export was read as; entries that are nobody's go into the ledger without a student."""
        self.summary.platform, self.summary.missing, self.source = handins.platform, handins.missing, handins.source
        self.summary.notes += handins.notes
        log_unplaced(self.ledger, self.assignment, handins)
        theirs, nobodys = apart(handins)
        ids: dict[str, list[str]] = {}
        for one in handins.refused:
            ids.setdefault(one.student, []).extend(name for name in one.ids if name not in ids.get(one.student, ()))
        self.summary.not_understood += [{"item": one.item, "reason": one.reason} for one in nobodys]
        for student, reason in theirs.items():
            self._refused(student, reason, ids[student])

    def collect(self, student: str = "") -> None:
        """Take into the ledger what was marked in the formgrader, before anything is written there and afterwards."""
        try:
            problems = collect(self.release, person(), student).problems
        except CourseError as error:
            problems = [f"marks of the formgrader were not taken in: {error}"]
        self.summary.notes += [one for one in problems if one not in self.summary.notes]

    def tasks(self, found: Sequence[Found]) -> list[Task]:
        """One task per submission; a submission that was received before keeps its time of arrival."""
        self.make_answers()
        standings = {one.student: self.standings.get((self.assignment, one.student), Standing()) for one in found}
        own, ids = [], {who for (_, who), standing in self.standings.items() if standing.verdict}
        for one in found:
            known = self.people.numbers_of(one.student)
            other = "" if self.settings.roster else alike(one, ids)
            why = other or another_number(one, standings[one.student].intake, known)
            if not self._refused(one.student, why, (one.came_as,)):
                own.append(one)
        return [self._task(one, standings[one.student]) for one in own]

    def make_answers(self) -> None:
        """A folder for the answers of this run."""
        sweep(ready(self.out))
        self.answers = Path(tempfile.mkdtemp(prefix=f"answers-{os.getpid()}-", dir=self.out))

    def _refused(self, student: str, reason: str, ids: Sequence[str]) -> bool:
        """Enter a hand-in that is refused before it is opened; says whether there is a reason to."""
        if reason:
            self.summary.outcomes.append(SubmissionOutcome(student, "refused", reason=reason))
            came = {"came_as": ids[0] or student} if len(ids) == 1 else {"ids": [*ids]}
            who = {"student": student, "assignment": self.assignment, **came}
            self.ledger.append("refused", **who, state="refused", reason=reason, instructor=True, source=self.source)
        return bool(reason)

    def _task(self, one: Found, standing: Standing) -> Task:
        verdict = standing.verdict or {}
        path = result_path(course_dir(self.release), self.assignment, one.student)
        kept = settle(path, verdict.get("stored", ""))
        same = verdict.get("release") == self.release.id and not standing.forced
        known = verdict["sha256"] if self.settings.resume and same and kept else ""
        seed = self.settings.seed
        if seed is None and same and verdict and not kept:
            seed = verdict.get("seed")  # the same draws, so that a lost result comes back as it was
            self.summary.notes.append(f"{one.student}: the stored result was gone or changed; judged again")
        dest = self.out / "intake" / self.assignment / (one.came_as or one.student)
        answer = self.answers / f"{one.student}.json"
        told = answer.with_suffix(".now") if self.settings.scheduler is None else None
        job = replace(self.job, student=one.student, seed=secrets.randbits(48) if seed is None else seed, told=told)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        before = {"before": verdict.get("sha256", ""), "stood": standing.intake or {}, "kept": kept}
        fixed = self.settings.resume and same and kept  # what was asked for by --again or regrade is judged in any case
        past = self.pasts.get(one.student, Past())
        earlier = replaced(past, standing, one.lms_id) if fixed else {}
        came = after(one, standing.intake) if fixed else None
        before["judged"] = with_written(past, self.release, self.assignment, standing)
        what = (one, self.assignment, self.skeleton, job, dest, answer, known, self.settings.memory, now)
        return Task(*what, **before, earlier=earlier, late=came, key=self.key)

    def all(self, tasks: Sequence[Task]) -> None:
        """Judge every task, then write the gradebook; an interruption is noted, and what is done stays done."""
        quiet = not self.settings.progress
        self.live = Live(f"grading {self.assignment}", len(tasks), self.settings.workers, quiet=quiet)
        try:
            for task, text in self.judged(tasks):
                self.accept(task, text)
                self.live.done(self.took(task, text))
            self.live.close()
            for _ in tqdm(self.replay(), total=len(self.pending), desc="gradebook", unit="student", disable=quiet):
                pass
        except KeyboardInterrupt:
            self.interrupted([task.found.student for task in tasks])
        finally:
            self.live.close()
            shutil.rmtree(self.answers, ignore_errors=True)
        self.count()

    def took(self, task: Task, text: str) -> float:
        """Seconds of judging, 0 where nothing was judged."""
        return 0.0 if '"unchanged"' in text[:40] else self.seconds.get(task.found.student, 0.0)

    def interrupted(self, students: Sequence[str]) -> None:
        """Say of everybody what is true: graded and written down, or not judged yet."""
        self.summary.interrupted = True
        self.summary.outcomes = [one for one in self.summary.outcomes if not one.ok or one.student in self.pending]
        known = {one.student for one in self.summary.outcomes}
        self.summary.left = [student for student in students if student not in known]

    def judged(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, str]]:
        """Judge all, then once more by itself what came near a limit in company; yields tasks with their answers."""
        held = []
        for task, text, accompanied in self.first(tasks):
            why = limited(text, self.job.checks) if accompanied else ""
            if why:
                held.append((task, text, why))
            else:
                yield task, text
        for task, text, why in held:
            for _, again, _ in self.first([task]):
                yield task, merged(text, again, why)

    def first(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, str, bool]]:
        """Judge in processes here or on a Dask cluster; yields task, answer, and whether others ran beside it.

        On a cluster files and course travel with the task; no disk is shared.
        """
        how = self.settings
        if how.scheduler is None:
            pool = Pool(self.wall, how.execute)
            self.seconds = pool.seconds
            for task, text in pool.run(tasks, how.workers, self.live.show):
                yield task, readable(task, text), task.found.student in pool.accompanied
            return
        from autograder.grading.dask import over_dask

        for task, text in over_dask(tasks, how.scheduler, self.wall, how.execute):
            yield task, readable(task, text), len(tasks) > 1

    def accept(self, task: Task, text: str, prints: Mapping[str, str] | None = None) -> bool:
        """Enter one answer in the ledger and keep the result; says whether there is one.

        Args:
            prints: fingerprints of the checks that its verdicts are of; today's by default.
        """
        student, data = task.found.student, json.loads(text)
        outcome = SubmissionOutcome(student, data.get("state", "graded"), reason=data.get("reason", ""))
        self.summary.outcomes.append(outcome)
        try:
            if "result" in data:
                from autograder.grading.gradebook import enter

                if (self.assignment, student) in self.standings:
                    self.collect(student)  # what was marked until now speaks of the work that stood until now
                    if len(self.people.identities.same(student)) > 1:
                        keep_aside(result_path(course_dir(self.release), self.assignment, student))
                enter(self.release, text, seed=task.job.seed, checks=prints or self.prints)
                same = task.before == data["intake"]["sha256"]
                outcome.news = NEW if not task.before else AGAIN if same else CHANGED
            elif outcome.state != "unchanged":
                who = {"student": student, "assignment": self.assignment, "came_as": task.found.came_as or student}
                self.ledger.append("refused", **who, state=outcome.state, reason=outcome.reason, source=self.source)
                return False
            else:
                self._stands(outcome, task.found, copy=data.get("copy", False))
        except CourseError as error:
            if "result" in data:
                outcome.state, outcome.reason = "unrecorded", str(error)
            return False
        self.pending[student] = outcome
        return True

    def _stands(self, outcome: SubmissionOutcome, found: Found, *, copy: bool) -> None:
        """What was graded before stays: say why, or take back that a later hand-in of this work was refused.

        Args:
            copy: it was the grader's own copy, which nobody handed in.
        """
        if outcome.reason:
            self.summary.notes.append(outcome.reason)
            outcome.reason = ""
        elif not copy and self.people.first_under(self.assignment, found.student, found.came_as):
            enter_under(self.release, self.assignment, found)
        elif not copy and self.pasts.get(outcome.student, Past()).refused:
            who = {"student": outcome.student, "assignment": self.assignment, "came_as": found.came_as or found.student}
            self.ledger.append("refused", **who, state="unchanged", reason="", resolved=True)

    def replay(self) -> Iterator[str]:
        """Write what the gradebook does not have yet, also from earlier runs, one student after the other."""
        late = waiting(self.release, self.assignment)
        for student, notes, reason in enter_all(self.release, self.assignment, sorted(late)):
            if student not in self.pending:
                words = f"could not be entered in the gradebook ({reason})" if reason else "entered in the gradebook"
                self.summary.notes.append(f"{student}: {words}, graded in an earlier run")
            elif reason:
                self.pending[student].state, self.pending[student].reason = "unrecorded", reason
            else:
                self.pending[student].notes += notes
            yield student

    def count(self) -> None:
        """Points and notes of those who are graded, from the ledger and the stored results."""
        table = self.ledger.standings()
        self.summary.notes += mended({who: table[(self.assignment, who)] for who in self.pending}, self.prints)
        for student, outcome in self.pending.items():
            standing = table[(self.assignment, student)]
            stored = of_ledger(self.release, self.assignment, student, standing)
            sums = total(marks_of(standing, stored, self.skeleton))
            outcome.points, outcome.max_points, outcome.to_mark = sums.points, sums.most, sums.open
            late = ["not in the gradebook yet"] if outcome.ok and not standing.recorded else []
            own = [*stored.intake.notes, *stored.result.notes]
            outcome.notes = [*other_answers(standing), *outcome.notes, *own, *late]

    def look_round(self) -> None:
        """Note who handed in the same as somebody else, and who is graded and not in this export."""
        people, here = self.ledger.people(), self.summary.here
        equal = equal_handins(people, self.assignment, self.skeleton)
        self.summary.equal = [list(one.students) for one in equal if here & {*one.students}]
        nobodys = [one["item"] for one in self.summary.not_understood]
        self.summary.absent = not_here(people, self.assignment, here, nobodys)

    def finish_books(self) -> None:
        """Note the ledger's end in the gradebook, and keep a sound copy of it."""
        note_in_gradebook(self.release)
        keep(course_dir(self.release) / "gradebook.db")

    def finish(self, seconds: float) -> None:
        """Sort and keep the summary, and note the ledger's end in the gradebook."""
        self.summary.outcomes.sort(key=lambda one: one.student)
        self.summary.seconds = round(seconds, 3)
        self.finish_books()
        try:
            write_atomic(self.out / f"{self.assignment}.json", json.dumps(self.summary.to_json(), indent=1))
        except CourseError as error:
            self.summary.unwritten = True
            self.summary.notes.append(f"the summary could not be kept: {error}")
