"""From a rebuilt notebook to verdicts: the student's cells run in sandboxes, the checks run in this process.

``execute`` has no database and no shared disk. It takes the text of every check from the job, never from the notebook,
and gives a verdict for every check of the job whatever the notebook does.

What a student is shown must not reveal what the checks drew. So there are up to three passes, each in its own sandbox:

1. **Scoring.** All cells run, without any check, and their outputs are kept. Then the checks run, one after the other,
   with secret draws. Nothing that this sandbox sends after the cells is shown; a check has only passed or not.
2. **Explaining**, if a check failed. The cells run again, and the failed checks run at their place among the cells, with
   the public draws of the student's notebook and without the instructor's files. Hint and status come from this pass.
3. **Once more**, for checks that pass with public draws: with secret draws, at their place and not after the last cell.
   A later cell that assigns a name again must not cost an exercise. The result is again only passed or not.
"""

from __future__ import annotations

import hashlib
import secrets
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

from autograder.judge import hints
from autograder.judge.apart import apart, other_texts
from autograder.judge.files import HandedIn, Private
from autograder.judge.hints import CheckOutcome, PrivateTouched
from autograder.judge.limits import CELL_SECONDS, NOTEBOOK_SECONDS, STOPS
from autograder.judge.run_check import attempt, own_error
from autograder.judge.walk import Notes, Walk, code_cells, source_of
from autograder.records import Check, Job, Result, Verdict
from autograder.sandbox.bubblewrap import Limits
from course_utils.checks.promised import NOTHING

__all__ = ["CELL_SECONDS", "NOTEBOOK_SECONDS", "execute", "public_seed", "source_of"]


def execute(
    job: Job, limits: Limits = Limits(), cell_seconds: float = CELL_SECONDS, notebook_seconds: float = NOTEBOOK_SECONDS
) -> Result:
    """Run one submission and judge it. Call it in the main thread of a process.

    Args:
        job: notebook, files and checks of one submission.
        limits: limits of each sandbox.
        cell_seconds: limit of one cell.
        notebook_seconds: limit of all cells together in one sandbox, and the same again for cells that are run again.

    Raises:
        CourseError: no sandbox can be built on this machine. Nothing that a student's code does raises.
    """
    started = time.monotonic()
    job = replace(job, seed=secrets.randbits(48) if job.seed is None else job.seed)
    checks, notes = in_order(job), Notes()
    lost = apart(job, checks)

    def judged(one: Job, wanted: list[Check], parts: Mapping[str, str] = NOTHING) -> _Judging:
        walk = partial(Walk, one, limits, cell_seconds, notebook_seconds)
        return _Judging(one, wanted, walk, notes, {check.id: parts for check in wanted if parts})

    runs = [judged(job, [check for check in checks if check.id not in lost])]
    for name, (left, parts) in lost.items():  # what uses something forbidden is never run where the rest is judged
        runs.append(judged(left, [job.checks[name]], parts))
    found = {verdict.exercise: verdict for run in runs for verdict in run.verdicts()}
    result = runs[0].result
    result.verdicts, result.notes = [found[check.id] for check in checks], notes.texts
    result.seconds = round(time.monotonic() - started, 3)
    return result


def in_order(job: Job) -> list[Check]:
    """The checks that are wanted, in the order of their cells, then those without a cell."""
    cells = [name for name, _ in code_cells(job.notebook)]
    placed = [name.removeprefix("check-") for name in cells if name.startswith("check-")]
    wanted = job.only or job.checks.keys()
    return [job.checks[name] for name in dict.fromkeys([*placed, *job.checks]) if name in job.checks and name in wanted]


def public_seed(exercise: str) -> int:
    """The seed that ``check(exercise)`` has in a student's notebook."""
    return zlib.crc32(exercise.encode())


class _Unseen:
    """``private`` in the explaining pass: the instructor's files are not read there."""

    def _touched(self, *_: object) -> NoReturn:
        raise PrivateTouched

    path = lines = json = _touched


class _Judging:
    """The three passes over one submission, for some of its checks."""

    def __init__(
        self,
        job: Job,
        checks: list[Check],
        walk: Callable[[Notes], Walk],
        notes: Notes,
        lost: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.job, self.checks, self.walk, self.notes = job, checks, walk, notes
        self.result = Result(job.student, job.assignment)
        self.handin, self.private = HandedIn(job.files, job.assignment), Private(job.private)
        self.seed = int(job.seed or 0)
        self.texts = dict(code_cells(job.notebook))
        self.scored: dict[str, tuple[CheckOutcome, float]] = {}
        self.explained: dict[str, CheckOutcome] = {}
        self.again: dict[str, CheckOutcome] = {}
        # by exercise: parts that are not asked, with the sentence: they stop the check with public draws, or must not be run
        self.stopped = {name: dict(parts) for name, parts in lost.items()}

    def verdicts(self) -> list[Verdict]:
        """Make all passes."""
        self.score()
        self.explain()
        self.once_more()
        return [self.verdict(check) for check in self.checks]

    # -- the passes

    def score(self) -> None:
        """Run all cells, then all checks with secret draws."""
        with self.walk(self.notes) as walk:
            for weakness in walk.kernel.sandbox.weaknesses if walk.kernel.sandbox is not None else []:
                self.notes.add(weakness)
            walk.all_cells()
            self.result.outputs = dict(walk.outputs)
            for check in self.checks:
                if f"check-{check.id}" not in self.texts:
                    self.notes.add(f"the check of {check.id} was not in the notebook; it was run after the last cell")
                self.scored[check.id] = self._secretly(check, walk)

    def explain(self) -> None:
        """Run the checks with public draws, at their place among the cells, up to the last one that has to be explained.

        Those that passed are run, too: an answer must not see from which checks are run what came right with secret draws.
        """
        names = [check.id for check in self.checks]
        last = max((n for n, name in enumerate(names) if self.unexplained(name)), default=-1)
        wanted = names[: last + 1]
        for _ in range(STOPS + 1):  # the parts that do end are asked once more, without those that do not
            self._explain(wanted)
            found = {name: one for name in wanted if (one := self.explained.get(name)) and one.stopped}
            for name, one in found.items():
                self.stopped.setdefault(name, {})[one.stopped] = one.hint
            wanted = [*found]

    def unexplained(self, name: str) -> bool:
        """Whether the run with secret draws alone does not say what the student is told."""
        outcome, _ = self.scored[name]
        return outcome.fraction < 1 or outcome.credited

    def _explain(self, wanted: list[str]) -> None:
        if not wanted:
            return
        with self.walk(Notes()) as walk:
            walk.through(wanted, lambda name: self.explained.update({name: self._openly(self.job.checks[name], walk)}))

    def once_more(self) -> None:
        """Run the checks that pass with public draws again with secret draws, at their place among the cells."""
        wanted = [n for n, o in self.explained.items() if _open_share(o) > 0 and self.scored[n][0].fraction < 1]
        if not wanted:
            return
        with self.walk(Notes()) as walk:
            walk.through(wanted, lambda name: self.again.update({name: self._secretly(self.job.checks[name], walk)[0]}))

    # -- one check

    def _tell(self, check: Check) -> None:
        """Note for people who wait what is judged now; in later passes nearly all is behind."""
        if self.job.told is not None:
            count = len(self.checks)
            with suppress(OSError):  # a full disk is no reason to stop judging
                self.job.told.write_text(f"{check.id}\t{min(len(self.scored) + 1, count)}\t{count}", encoding="utf-8")

    def _attempt(self, check: Check, walk: Walk, private: Any, seed: int) -> tuple[CheckOutcome, float]:
        if not walk.living():
            return CheckOutcome("dead", "the notebook's kernel died too often to go on"), 0.0
        self._tell(check)
        answer = self.texts.get(f"answer-{check.id}", "")
        others = other_texts(self.texts, check.id)
        without = self.stopped.get(check.id, {})
        return attempt(check, walk.kernel, answer, self.handin, private, seed, others, without=without)

    def _secretly(self, check: Check, walk: Walk) -> tuple[CheckOutcome, float]:
        outcome, seconds = self._attempt(check, walk, self.private, _derived(self.seed, check.id))
        if note := own_error(check, outcome):
            self.notes.add(note)
        if not walk.kernel.alive:
            self.notes.add(f"the kernel was lost during the check of {check.id}")
        return outcome, seconds

    def _openly(self, check: Check, walk: Walk) -> CheckOutcome:
        outcome, _ = self._attempt(check, walk, _Unseen(), public_seed(check.id))
        if outcome.undecided and check.visible:
            seen, _ = self._attempt(replace(check, source=check.visible), walk, _Unseen(), public_seed(check.id))
            outcome = outcome if seen.fraction > 0 or own_error(check, seen) else seen
        return self._left_out(check, walk, outcome)

    def _left_out(self, check: Check, walk: Walk, outcome: CheckOutcome) -> CheckOutcome:
        """The outcome with another hint if the exercise fails because its own cell was left out."""
        status = walk.left_out.get(f"answer-{check.id}")
        if status is None or outcome.fraction > 0:
            return outcome
        what = "ended the kernel" if status == "dead" else "took too long"
        hint = f"the cell of {check.id} {what}, so it was left out: run it by itself"
        return replace(outcome, status=status, hint=hint, undecided=False)

    # -- the verdict

    def verdict(self, check: Check) -> Verdict:
        """The verdict: points from the secret draws, status and hint from the public ones."""
        (scored, seconds), again = self.scored[check.id], self.again.get(check.id)
        opened = self.explained.get(check.id) if self.unexplained(check.id) else None
        told = decided([one for one in (scored, again) if one], opened)
        detail = _detail({"scored": scored, "explained": opened, "scored in place": again})
        points = round(check.points * told.fraction, 6)
        seed = _derived(self.seed, check.id)
        return Verdict(check.id, told.status, points, check.points, told.hint, detail, seconds, seed)


def decided(secret: Sequence[CheckOutcome], opened: CheckOutcome | None) -> CheckOutcome:
    """What the student is shown. For one ``opened`` it has at most two values, whatever the secret draws were.

    Args:
        secret: how the check ended with secret draws, once or twice; the better one counts.
        opened: how the check ended with public draws; None if it passed with secret ones and gave no partial credit.

    With partial credit the share is that of the public draws, given if parts that make at least half of it were right with
    secret draws, too; to show the share of the secret draws would reveal something about them.
    """
    if opened is None:
        return CheckOutcome("passed", fraction=1.0)
    share = _open_share(opened)
    if share == 0:
        return opened
    if share == 1 and any(one.fraction == 1 for one in secret):
        return CheckOutcome("passed", fraction=1.0)
    if share < 1 and any(_in_both(one, opened) >= share / 2 for one in secret):
        return opened
    return CheckOutcome("failed", opened.hint if opened.undecided else hints.OTHER_INPUTS)


def _in_both(secret: CheckOutcome, opened: CheckOutcome) -> float:
    """The share of the parts that were right with secret and with public draws; without names of parts, that of the secret."""
    if secret.parts is None or opened.parts is None:
        return secret.fraction
    return sum(share for name, share in opened.parts.items() if name in secret.parts)


def _open_share(opened: CheckOutcome) -> float:
    return 1.0 if opened.undecided else opened.fraction


def _detail(parts: dict[str, CheckOutcome | None]) -> str:
    """All passes for the instructor."""
    told = {name: one for name, one in parts.items() if one is not None and (one.status != "passed" or one.detail)}
    return "\n".join(f"{name}: {one.status}: {one.hint}\n{one.detail}".strip() for name, one in told.items())


def _derived(seed: int, exercise: str) -> int:
    """A seed of 48 bits (exact in JSON) for one exercise."""
    return int.from_bytes(hashlib.blake2b(f"{seed}:{exercise}".encode(), digest_size=6).digest(), "big")
