"""Judging again after a check was mended: only what is affected, shown first, entered when told to.

Each hand-in is judged with the draws that it had before, so that what differs comes from the check. A student is entered
whole before the next one is judged; an interrupted run leaves the others as they were, and the next run finds them.
"""

from __future__ import annotations

import json
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tqdm import tqdm

from autograder.grading.affected import affected, shared_changed
from autograder.grading.byhand import changes, read_book
from autograder.grading.database import keep, put_back
from autograder.grading.inbox import left
from autograder.grading.ledger import Standing
from autograder.grading.lock import alone
from autograder.grading.pipeline import GradingRun
from autograder.grading.progress import Live
from autograder.grading.repair import restore_end
from autograder.grading.settings import Settings
from autograder.grading.store import ReleaseLike, Stored, course_dir, of_ledger, stored_json, stored_of
from autograder.grading.worker import Task
from autograder.intake.discover import Found
from autograder.records import Result, Verdict
from course_utils.errors import CourseError


@dataclass(frozen=True)
class Decision:
    """Why verdicts are entered anew, and who says so."""

    reason: str
    by: str

    def __post_init__(self) -> None:
        """Refuse a decision without a reason or a person."""
        for value, what, option in ((self.reason, "a reason", "--reason"), (self.by, "the name of a person", "--by")):
            if not value.strip():
                raise CourseError(f"the ledger notes why this is done and by whom, so it needs {what}; give {option}")


@dataclass(frozen=True)
class Wish:
    """What to judge again; by default every exercise whose check is another one, of everybody who handed it in.

    Attributes:
        students: only these, if there are any.
        exercises: these, whether their check changed or not.
        everything: all exercises.
    """

    students: Sequence[str] = ()
    exercises: Sequence[str] = ()
    everything: bool = False


@dataclass(frozen=True)
class Difference:
    """An exercise of a student whose points or status are others now.

    Attributes:
        before: points that the earlier check gave, of ``most_before``.
        after: those of the check as it is now, of ``most``.
        by_hand: points that a person gave; they count, before and after. None where nobody did.
        why: both outcomes in words.
    """

    student: str
    exercise: str
    before: float
    after: float
    most_before: float
    most: float
    why: str
    by_hand: float | None = None


@dataclass
class Regraded:
    """The outcome of a run. ``exercises`` has who was judged again in each; ``failed`` who could not be, with the reason."""

    assignment: str
    applied: bool
    differences: list[Difference] = field(default_factory=list)
    exercises: dict[str, list[str]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False

    @property
    def entered(self) -> list[str]:
        """Students whose verdicts were entered in ledger and gradebook."""
        judged = {who for whose in self.exercises.values() for who in whose} if self.applied else set()
        return sorted(judged - self.failed.keys() - set(self.left))

    @property
    def exit_code(self) -> int:
        """The command line's exit code."""
        return 130 if self.interrupted else 1 if self.failed else 0

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self) | {"exit_code": self.exit_code}


def regrade(
    release: ReleaseLike,
    out: Path,
    assignment: str,
    settings: Settings,
    wish: Wish = Wish(),
    decision: Decision | None = None,
) -> Regraded:
    """Judge what is affected again, from the hand-ins that are stored.

    Args:
        out: folder in which the hand-ins were unpacked.
        wish: what to judge.
        decision: enter what comes out; without one nothing is written into ledger, results or gradebook.

    Raises:
        CourseError: an unknown student or exercise, no sandbox, a damaged ledger, or somebody else is grading.
    """
    if settings.execute is None and settings.scheduler is None and shutil.which("bwrap") is None:
        raise CourseError("no sandbox here, so nothing is judged; install bubblewrap (apt install bubblewrap)")
    course = course_dir(release)
    with alone(course, wait=settings.wait) if decision else nullcontext():
        notes = [put_back(course / "gradebook.db"), restore_end(release)] if decision else []
        work = _Again(release, out.resolve(), assignment, settings, wish, decision)
        work.done.notes += filter(None, notes)
        if decision:
            keep(course / "gradebook.db")
            work.run.collect()
        work.all()
        if decision:
            work.finish()
    return work.done


class _Again:
    """One call of :func:`regrade`."""

    def __init__(
        self,
        release: ReleaseLike,
        out: Path,
        assignment: str,
        settings: Settings,
        wish: Wish,
        decision: Decision | None,
    ) -> None:
        self.release, self.wish, self.decision = release, wish, decision
        self.run = GradingRun(release, out, assignment, settings)
        self.done = Regraded(assignment, applied=decision is not None)
        self.people = {
            who: one for (name, who), one in self.run.standings.items() if name == assignment and one.verdict
        }
        self.wanted = self._wanted()
        self.old: dict[str, Stored] = {}
        self.hands = read_book(course_dir(release) / "gradebook.db")

    def _wanted(self) -> dict[str, list[str]]:
        """Students with the exercises that are judged again, in notebook order."""
        wish, prints = self.wish, self.run.prints
        for kind, named, known in (
            ("graded student", wish.students, self.people),
            ("exercise", wish.exercises, prints),
        ):
            unknown = sorted(set(named) - set(known))
            if unknown:
                raise CourseError(f"{unknown[0]}: no {kind} of {self.done.assignment}; there are: {', '.join(known)}")
        found = {}
        for who, standing in sorted(self.people.items()):
            names = [*prints] if wish.everything else [*wish.exercises] or affected(standing, prints)
            if names and (not wish.students or who in wish.students):
                found[who] = [name for name in prints if name in names]
        same = [one for who, one in self.people.items() if who not in found]
        if count := shared_changed(same, prints):
            self.done.notes.append(
                f"the code that all checks share is another one since {count} hand-ins were judged; --all judges everything"
            )
        return found

    def all(self) -> None:
        """Judge everybody; an interruption is noted, and what is entered stays entered."""
        run, quiet = self.run, not self.run.settings.progress
        run.make_answers()
        tasks = list(self._tasks())
        run.live = Live(f"judging {self.done.assignment} again", len(tasks), run.settings.workers, quiet=quiet)
        judged = set()
        try:
            for task, text in run.judged(tasks):
                self._take(task, text)
                judged.add(task.found.student)
                run.live.done(run.took(task, text))
            run.live.close()
            late = run.replay() if self.decision else ()
            nothing = quiet or not run.pending
            for _ in tqdm(late, total=len(run.pending), desc="gradebook", unit="student", disable=nothing):
                pass
        except KeyboardInterrupt:
            self.done.interrupted = True
            self.done.left = [task.found.student for task in tasks if task.found.student not in judged]
        finally:
            run.live.close()
            self._order()
            shutil.rmtree(run.answers, ignore_errors=True)

    def finish(self) -> None:
        """Note the ledger's end in the gradebook; what could not be entered there is told."""
        self.run.finish_books()
        self.done.notes += self.run.summary.notes
        self.done.failed |= {who: one.reason for who, one in self.run.pending.items() if not one.ok}
        self.done.notes += left(self.release, self.done.assignment, self.done.entered)

    def _order(self) -> None:
        """Order what is shown by student: processes end in any order."""
        self.done.exercises = {name: sorted(whose) for name, whose in self.done.exercises.items()}
        self.done.differences.sort(key=lambda one: one.student)

    def _tasks(self) -> Iterator[Task]:
        for who, names in self.wanted.items():
            standing = self.people[who]
            try:
                self.old[who] = of_ledger(self.release, self.done.assignment, who, standing)
            except CourseError as error:
                self.done.failed[who] = str(error)
                continue
            yield self._task(who, names, standing)

    def _task(self, who: str, names: Sequence[str], standing: Standing) -> Task:
        """The stored hand-in with the draws that it had; its files lie where they were unpacked."""
        run, intake = self.run, self.old[who].intake
        unpacked = run.out / "intake" / self.done.assignment / (intake.came_as or who) / "files"
        empty = Path(tempfile.mkdtemp(dir=run.answers))
        files = next((path for path in (unpacked, intake.files) if path.is_dir()), empty)
        seed = (standing.verdict or {}).get("seed")
        answer = run.answers / f"{who}.json"
        told = answer.with_suffix(".now") if run.settings.scheduler is None else None
        seed = secrets.randbits(48) if seed is None else seed
        job = replace(run.job, student=who, seed=seed, told=told, only=frozenset(names))
        found, now = Found(who, files), datetime.now(UTC).isoformat(timespec="seconds")
        memory = run.settings.memory
        return Task(
            found,
            self.done.assignment,
            run.skeleton,
            job,
            empty,
            answer,
            "",
            memory,
            now,
            intake=replace(intake, files=files),
        )

    def _take(self, task: Task, text: str) -> None:
        """Compare one answer with what stands, and enter it if that is decided."""
        who, answer = task.found.student, _answer(text)
        names = self.wanted[who]
        if isinstance(answer, str):
            self.done.failed[who] = answer
            return
        old = self.old[who].result
        fresh = {one.exercise: one for one in answer.result.verdicts}
        lacking = [name for name in names if name not in fresh]
        if lacking:
            self.done.failed[who] = f"the judge gave no verdict for {lacking[0]}"
            return
        for name in names:
            self.done.exercises.setdefault(name, []).append(who)
        before = {one.exercise: one for one in old.verdicts}
        hands = self._by_hand(who)
        for name in names:
            if found := difference(who, before.get(name), fresh[name], hands.get(name)):
                self.done.differences.append(found)
        if self.decision:
            self._enter(task, _merged(old, answer.result, self.run.job.checks), names)

    def _by_hand(self, who: str) -> dict[str, float]:
        """Points of checks that people gave, also those of the formgrader that no command has taken in yet."""
        key, standing = (self.done.assignment, who), self.people[who]
        fresh = changes(standing, self.hands.cells.get(key, {}), self.hands.entered.get(key))
        hands = {**standing.by_hand(), **fresh}
        return {
            cell.removeprefix("check-"): hand.points
            for cell, hand in hands.items()
            if cell.startswith("check-") and hand.points is not None
        }

    def _enter(self, task: Task, result: Result, names: Sequence[str]) -> None:
        """One student: the decision, then the verdicts; the fingerprints of what was not judged stay."""
        assert self.decision is not None
        who = task.found.student
        prints = {
            **(self.people[who].verdict or {}).get("checks", {}),
            **{name: self.run.prints[name] for name in names},
        }
        data = {"student": who, "assignment": self.done.assignment, "exercises": [*names]}
        self.run.ledger.append("regrade", **data, **asdict(self.decision))
        # the intake as it was taken in, so that its hash and its place stay
        text = stored_json(result, self.old[who].intake)
        if not self.run.accept(task, text, prints):
            self.done.failed[who] = next(one.reason for one in self.run.summary.outcomes if one.student == who)


def _answer(text: str) -> Stored | str:
    """The judge's answer, or why there is none."""
    data = json.loads(text)
    return stored_of(data) if "result" in data else str(data["reason"])


def _merged(old: Result, new: Result, order: Mapping[str, Any]) -> Result:
    """The earlier result with the new verdicts in their places; outputs are of the earlier run of all cells."""
    fresh = {one.exercise: one for one in new.verdicts}
    known = {one.exercise for one in old.verdicts}
    verdicts = [fresh.get(one.exercise, one) for one in old.verdicts]
    verdicts += [fresh[name] for name in order if name in fresh and name not in known]
    return replace(old, verdicts=verdicts, notes=list(dict.fromkeys([*old.notes, *new.notes])))


def difference(who: str, before: Verdict | None, after: Verdict, by_hand: float | None) -> Difference | None:
    """What is another one now in an exercise, or None."""
    old = before or replace(after, status="missing", points=0.0, hint="")
    same = (old.points, old.max_points, old.status) == (after.points, after.max_points, after.status)
    if same and before is not None:
        return None
    why = f"was {_words(old)}; is {_words(after)}"
    return Difference(who, after.exercise, old.points, after.points, old.max_points, after.max_points, why, by_hand)


def _words(verdict: Verdict) -> str:
    return f"{verdict.status} ({verdict.hint})" if verdict.hint else verdict.status


def table(done: Regraded) -> list[str]:
    """The differences as lines with columns: student, exercise, before, after, of, why."""
    if not done.differences:
        return []
    rows = [("student", "exercise", "before", "after", "of", "why")]
    for one in sorted(done.differences, key=lambda one: (one.exercise, one.student)):
        stays = f"; by hand {one.by_hand:g}, which stays" if one.by_hand is not None else ""
        most = f"{one.most:g}" if one.most == one.most_before else f"{one.most:g} (was {one.most_before:g})"
        rows.append((one.student, one.exercise, f"{one.before:g}", f"{one.after:g}", most, one.why + stays))
    widths = [max(len(row[at]) for row in rows) for at in range(5)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[5]]) for row in rows]
