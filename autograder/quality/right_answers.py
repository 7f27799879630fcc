"""``right-answers``: every right answer on file judged with many fresh seeds, without a sandbox; none may be refused.

The solution alone (``seed-sweep``) says little about a student who computes in another order. Here the trials of a seed
are drawn once, and all right answers of the exercise are asked, and the oracle itself, computed in other right ways
(``other_ways``). What is refused is named with its seed and its promise.

**Unsteady cases** are counted too: where the oracle's own answer moves by much when its arguments change by one unit in
the last place (``course_utils.checks.steady``). A promise with more than ``MOST`` of them is named: declare it ``steady``,
so that such cases are drawn again, or give it a wider bound.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from autograder.judge.run_check import deterministic
from autograder.quality import forking
from autograder.quality.casebook import names_of, settings_put_back
from autograder.quality.cells import setup_cells
from autograder.quality.filed import right_by_name
from autograder.quality.other_ways import ALIKE, WAYS, Otherwise, Table
from autograder.quality.seed_sweep import exercises
from autograder.source.covered import declaration
from autograder.source.percent import read_source
from autograder.source.visible import declared, made_from
from course_utils.checks.asking import opaque
from course_utils.checks.compare import plain
from course_utils.checks.handed import LOOKED
from course_utils.checks.promises import Promises
from course_utils.checks.steady import unsteady
from course_utils.checks.student import Student
from course_utils.checks.trials import Trial
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

SEEDS = 20  # of each exercise
TURN = 2  # seeds that one process judges before the next one's turn
MOST = 0.02  # share of a promise's cases that may hang on the last digits
DRAWN = ("course_utils.lessons.blocks.dropout_law",)  # ways to ask whose draws follow from the case's own numbers
FEWEST = 3  # such cases, before a share says anything


@dataclass
class Judged:
    """What became of the right answers of one exercise."""

    exercise: str
    state: str = ""  # hash of the check, its oracle and the answers: what changes them begins anew
    seeds: int = 0
    answers: int = 0
    trials: int = 0
    refused: list[str] = field(default_factory=list)
    cases: dict[str, int] = field(default_factory=dict)  # by promise, those that were looked at
    unsteady: dict[str, int] = field(default_factory=dict)

    def __add__(self, more: Judged) -> Judged:
        """Both together."""
        cases, unsteady = (
            dict(Counter(a) + Counter(b)) for a, b in ((self.cases, more.cases), (self.unsteady, more.unsteady))
        )
        return Judged(
            self.exercise, more.state, self.seeds + more.seeds, more.answers, self.trials + more.trials,
            self.refused + more.refused, cases, unsteady,
        )  # fmt: skip

    def hanging(self) -> list[str]:
        """Sentences of the promises of which too many cases hang on the last digits."""
        rows = ((one, count / self.cases[one]) for one, count in self.unsteady.items() if count >= FEWEST)
        return [f"{one!r}: {share:.0%} of the cases" for one, share in rows if share > MOST]


def state_of(path: Path, exercise: str) -> str:
    """A hash of all that a judgement depends on, 12 hexadecimal digits."""
    source = read_source(path)
    parts = [made_from(source, exercise), *right_by_name(source, exercise).values()]
    return sha256("\0".join(parts).encode()).hexdigest()[:12]


def judge(path: Path, exercise: str, seeds: range, until: float = math.inf) -> Judged:
    """Judge all right answers with these seeds, until the time (`time.time`) is over. Call it in a process of its own."""
    torch.set_num_threads(1)
    found = Judged(f"{path.stem}/{exercise}")
    if time.time() > until:
        return found
    source = read_source(path)
    check = declaration(next(cell for cell in declared(source) if cell.exercise == exercise))
    texts, (before, after) = right_by_name(source, exercise), setup_cells(source, exercise)
    ways = {} if found.exercise in ALIKE else WAYS
    found.state, found.answers = state_of(path, exercise), len(texts) + len(ways)
    asked: dict[int, list[Trial]] = {}
    for seed in seeds:  # the oracle first: an answer enters its class under a name of the course, and stays there
        if time.time() > until:
            break
        with settings_put_back(), deterministic(seed):
            asked[seed] = drawn(check, seed)
            _count(found, check, asked[seed])
            said = {name: _otherwise(check, asked[seed], table) for name, table in ways.items()}
        found.refused += [f"{name}, seed {seed}: {words}" for name, words in said.items() if words]
    for name, text in texts.items():
        with settings_put_back(), deterministic(0):
            student = _student([*before, text, *after])
        for seed, trials in asked.items():
            with settings_put_back(), deterministic(seed):
                words = _first_broken(student, check, trials)
            found.refused += [f"{name}, seed {seed}: {words}"] if words else []
    found.seeds, found.trials = len(asked), sum(map(len, asked.values())) * found.answers
    return found


def drawn(check: Promises, seed: int) -> list[Trial]:
    """The fresh trials of a seed, without those that look at a file that is handed in."""
    numbers = range(len(check.listed()))
    return [one for number in numbers for one in check.trials(number, seed) if one.ask.way != LOOKED]


def _student(cells: Sequence[str]) -> Student:
    names = names_of(cells)
    return Student(lambda: names)


def _first_broken(student: Student, check: Promises, trials: Iterable[Trial]) -> str:
    """The first promise that is broken, and how; "" if all are kept."""
    answers = (trial.run(student) for trial in trials)
    bad = next((one for one in answers if not one.kept), None)
    return f"{check.listed()[bad.trial.promise].sentence}: {bad.problem or 'other values'}" if bad else ""


def _otherwise(check: Promises, trials: Iterable[Trial], table: Table) -> str:
    """The first promise that the oracle breaks when it is computed otherwise; "" if none. Samples are not compared."""
    for trial in trials:
        if not (trial.agree.law or trial.agree.counts):
            with Otherwise(table):
                got = plain(trial.ask(check.reference, trial.case), opaque)
            if trial.agree.problem(trial.case, got, trial.want, trial.names) is not None:
                return f"{check.listed()[trial.promise].sentence}: other values"
    return ""


def _count(found: Judged, check: Promises, trials: Iterable[Trial]) -> None:
    """Count the cases of the promises themselves, not those of the trouble, and the unsteady ones of them."""
    for trial in trials:
        own = trial.promise < len(check.kept) and check.kept[trial.promise].want is None
        if own and trial.ask.way not in DRAWN:
            sentence = check.kept[trial.promise].sentence
            moves = unsteady(check.reference, trial.case, trial.ask, trial.agree, trial.names)
            found.cases[sentence] = found.cases.get(sentence, 0) + 1
            if moves:
                found.unsteady[sentence] = found.unsteady.get(sentence, 0) + 1


# -------------------------------------------------------------------------------------------------------------- a run


def jobs_of(notebook: str | None, exercise: str | None) -> list[tuple[Path, str]]:
    """The declared checks asked for. Raises CourseError as :func:`seed_sweep.exercises`."""
    asked = exercises(notebook, exercise, current=False)
    known = {path: {cell.exercise for cell in declared(read_source(path))} for path, _ in asked}
    return [(path, name) for path, name in asked if name in known[path]]


def turns(jobs: Sequence[tuple[Path, str]], seeds: range, done: Mapping[str, Judged]) -> list[tuple[Path, str, range]]:
    """What is left to do, so that all exercises come round in turn."""
    left = []
    for path, name in jobs:
        begun = done.get(f"{path.stem}/{name}", Judged(name)).seeds
        left += [(start, (path, name, seeds[start : start + TURN])) for start in range(begun, len(seeds), TURN)]
    return [job for _, job in sorted(left, key=lambda one: one[0])]


def judge_all(left: Sequence[tuple[Path, str, range]], minutes: float, workers: int) -> Iterator[Judged]:
    """Each turn's result as it comes, until the time is over."""
    until = time.time() + 60 * minutes
    with (
        ProcessPoolExecutor(workers, mp_context=forking.context(), max_tasks_per_child=1) as pool,
        tqdm(total=sum(len(seeds) for _, _, seeds in left), unit="seed") as bar,
    ):
        futures = [pool.submit(judge, path, name, seeds, until) for path, name, seeds in left]
        try:
            for future in as_completed(futures):
                bar.update(future.result().seeds)
                if future.result().seeds:
                    yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def kept_in(path: Path) -> dict[str, Judged]:
    """What a record holds, by exercise, without checks and answers that have changed. Raises CourseError if it is none."""
    if not path.is_file():
        return {}
    try:
        rows = [Judged(**row) for row in json.loads(path.read_text(encoding="utf-8"))["exercises"]]
    except (ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path} is no record of right answers ({error}); name another file.") from None
    jobs = {f"{source.stem}/{name}": (source, name) for source, name in jobs_of(None, None)}
    return {row.exercise: row for row in rows if row.exercise in jobs and state_of(*jobs[row.exercise]) == row.state}


def report(found: Iterable[Judged]) -> dict[str, Any]:
    """All figures, as they are recorded."""
    rows = sorted(found, key=lambda one: one.exercise)
    return {
        "exercises": [asdict(one) for one in rows],
        "judgements": sum(one.seeds * one.answers for one in rows),
        "trials": sum(one.trials for one in rows),
        "refused": sum(len(one.refused) for one in rows),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: 0 if no right answer was refused and no promise hangs on last digits, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m autograder right-answers", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("notebook", nargs="?", help="such as 07 or 07_knowledge; all without it")
    parser.add_argument("--exercise", help="one check alone")
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"fresh seeds of each check ({SEEDS})")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after this long")
    parser.add_argument("--workers", type=int, default=2, help="checks at a time (2)")
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="add to the seeds of this file, and keep them there"
    )
    options = parser.parse_args(argv)
    try:
        jobs = jobs_of(options.notebook, options.exercise)
        found = kept_in(options.record) if options.record else {}
        left = turns(jobs, range(options.first, options.first + options.seeds), found)
        for one in judge_all(left, options.minutes, options.workers):
            for said in one.refused[:3]:
                tqdm.write(f"✗ {one.exercise} {said}")
            found[one.exercise] = found.get(one.exercise, Judged(one.exercise)) + one
            if options.record:
                write_atomically(
                    options.record, json.dumps(report(found.values()), indent=1, ensure_ascii=False) + "\n"
                )
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    return format_report(
        [found[f"{path.stem}/{name}"] for path, name in jobs if f"{path.stem}/{name}" in found], jobs, options.seeds
    )


def format_report(found: Sequence[Judged], jobs: Sequence[Any], wanted: int) -> int:
    """Print a line for each check and the sum; 0 if nothing was refused, nothing hangs and all was judged, else 1."""
    for one in found:
        print(f"{one.exercise:<42}{one.answers:>4} answers{one.seeds:>6} seeds{len(one.refused):>5} refused")
        for said in one.hanging():
            print(f"  hangs on the last digits: {said}; declare steady=True, or give a wider bound")
    figures, short = report(found), len(jobs) - sum(one.seeds >= wanted for one in found)
    print(f"{figures['judgements']} judgements, {figures['trials']} trials, {figures['refused']} refused")
    if short:
        print(f"fewer than {wanted} seeds so far: {short} of {len(jobs)} checks")
    return 1 if figures["refused"] or short or any(one.hanging() for one in found) else 0
