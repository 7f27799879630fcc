"""Seed sweep: every check on the course's own solution, many times over, with fresh seeds; no run may fail.

A check draws its inputs anew in every run. What is right must pass a thousand times in a row, and in time. With
`--record FILE` the runs of an unchanged check add up: what was stopped goes on where it was, with seeds not yet used.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from tqdm import tqdm

from autograder.judge import preload
from autograder.judge.run_check import HandedIn, Private, run_check
from autograder.quality.filed import Mutant
from autograder.quality.misconceptions import ROOT, Bench, needed, public_folder
from autograder.source.percent import Source, asked_for, no_exercise, read_source, strip_markers
from autograder.source.visible import require_current
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

LIMIT = 5.0  # seconds that a check may take on the course's own solution
TURN = 90.0  # seconds of one check before the next one's turn: a stop loses no more, and starting a sandbox (4 s) is little of it


@dataclass
class SweepResult:
    """What became of one check: runs made, seconds of the slowest and on average, and what its failures said."""

    exercise: str
    runs: int = 0
    mean_s: float = 0.0
    slowest_s: float = 0.0
    failures: list[str] = field(default_factory=list)
    text: str = ""  # hash of the check and its answer: what changes them begins anew, a changed reference does not

    def __add__(self, more: SweepResult) -> SweepResult:
        """Both together."""
        runs = self.runs + more.runs
        mean = (self.mean_s * self.runs + more.mean_s * more.runs) / max(runs, 1)
        slowest, failures = max(self.slowest_s, more.slowest_s), self.failures + more.failures
        return SweepResult(self.exercise, runs, mean, slowest, failures, more.text)


def answers_of(source: Source, exercise: str) -> list[str]:
    """The answer cells of an exercise, solved."""
    return [strip_markers(c.text) for c in source.cells if (c.role, c.exercise) == ("answer", exercise)]


@cache
def read_once(path: Path) -> Source:
    """A source, which stays as it was when a sweep began: what runs and what its record says must be the same."""
    return read_source(path)


def text_of(path: Path, exercise: str) -> str:
    """A hash of the check and its answer, 12 hexadecimal digits."""
    texts = [c.text for c in read_once(path).cells if c.role in ("answer", "check") and c.exercise == exercise]
    return sha256("\n".join(texts).encode()).hexdigest()[:12]


def sweep(
    path: Path, exercise: str, seeds: range, public: Path, artefacts: Path | None, until: float = math.inf
) -> SweepResult:
    """Run one check on the solution, once per seed, until all are done or the time (`time.time`) is over."""
    found, taken = SweepResult(f"{path.stem}/{exercise}"), 0.0
    if time.time() > until:  # of thousands of turns that are left: nothing is read for them
        return found
    source = read_once(path)
    answers, found.text = answers_of(source, exercise), text_of(path, exercise)
    bench = Bench(source, exercise, public, artefacts)
    try:
        bench.hand_in(Mutant(exercise, "solution", "\n".join(answers), wrong=False))
        handed, private = HandedIn(bench.files, source.name), Private((artefacts or bench.files) / "private")
        for seed in seeds:
            if time.time() > until:
                break
            if not bench.kernel.alive:
                bench.start()
                for code in (*answers, *bench.after):
                    bench.kernel.run_cell(code)
            verdict, note = run_check(bench.check, bench.kernel, "\n".join(answers), handed, private, seed)
            found.runs, taken = found.runs + 1, taken + verdict.seconds
            found.slowest_s = max(found.slowest_s, verdict.seconds)
            if verdict.points < verdict.max_points:
                found.failures.append(f"seed {seed}: {verdict.status}: {verdict.hint or note}")
    finally:
        bench.close()
    found.mean_s = taken / max(found.runs, 1)
    return found


def exercises(notebook: str | None, exercise: str | None, *, current: bool = True) -> list[tuple[Path, str]]:
    """Source and id of every check asked for.

    Args:
        current: whether their visible cases are needed.

    Raises CourseError if there is none, or its visible cases are needed and not current.
    """
    paths = asked_for(ROOT / "solutions", notebook)
    known = [(path, cell.exercise) for path in paths for cell in read_source(path).cells if cell.role == "check"]
    found = [(path, name) for path, name in known if exercise in (None, name)]
    if not found:
        raise no_exercise(paths, exercise, [name for _, name in known])
    for path, name in found if current else []:
        require_current(read_source(path), ROOT / "data", name)
    return found


def chunks(
    jobs: Sequence[tuple[Path, str]], seeds: range, done: Mapping[str, SweepResult]
) -> list[tuple[Path, str, range]]:
    """What is left to do, in turns that give every check the same time: quick ones, as known so far, make more runs."""
    left = []
    for path, name in jobs:
        kept = done.get(f"{path.stem}/{name}", SweepResult(name))
        mean = kept.mean_s or LIMIT / 10
        size = max(1, round(TURN / mean))
        left += [
            (start * mean, (path, name, seeds[start : start + size])) for start in range(kept.runs, len(seeds), size)
        ]
    return [job for _, job in sorted(left, key=lambda one: one[0])]


def sweep_all(
    left: Sequence[tuple[Path, str, range]], minutes: float, workers: int, *, progress: bool
) -> Iterator[SweepResult]:
    """Every chunk as it is finished, until the time is over."""
    with tempfile.TemporaryDirectory(prefix="seed-sweep-") as scratch:
        public = public_folder(Path(scratch))
        artefacts = {pair: needed(*pair) for pair in dict.fromkeys((path, name) for path, name, _ in left)}
        until = time.time() + 60 * minutes
        context = multiprocessing.get_context("spawn")  # checks ring alarms, which takes a process's main thread
        with (
            ProcessPoolExecutor(workers, mp_context=context, initializer=preload.load) as pool,
            tqdm(total=sum(len(seeds) for _, _, seeds in left), disable=not progress, unit="run") as bar,
        ):
            futures = [
                pool.submit(sweep, path, name, s, public, artefacts[path, name], until) for path, name, s in left
            ]
            try:
                for future in as_completed(futures):
                    if runs := future.result().runs:
                        bar.update(runs)
                        yield future.result()
            finally:  # also on Ctrl-C; Python's end can trip over a pool that nobody waited for
                pool.shutdown(cancel_futures=True)


def kept_in(path: Path) -> dict[str, SweepResult]:
    """What a record holds, by exercise, without checks that have changed since. Raises CourseError if it is none."""
    if not path.is_file():
        return {}
    try:
        rows = [SweepResult(**row) for row in json.loads(path.read_text(encoding="utf-8"))["checks"]]
    except (ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path} is no record of a seed sweep ({error}); name another file.") from None
    now = {f"{source.stem}/{name}": text_of(source, name) for source, name in exercises(None, None)}
    return {row.exercise: row for row in rows if now.get(row.exercise) == row.text}


def report(found: Iterable[SweepResult]) -> dict[str, Any]:
    """Figures of all checks, and whether all is well: no failure, and none slower than it may be on average."""
    found = sorted(found, key=lambda one: one.exercise)
    return {
        "checks": [asdict(f) for f in found],
        "runs": sum(f.runs for f in found),
        "failures": sum(len(f.failures) for f in found),
        "slow": [f.exercise for f in found if f.mean_s > LIMIT],
    }


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: 0 if nothing failed and nothing was slow, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m autograder seed-sweep", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("notebook", nargs="?", help="such as 07 or 07_knowledge; all without it")
    parser.add_argument("--exercise", help="one check alone")
    parser.add_argument("--seeds", type=int, default=1000, help="runs of each check (1000)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after this long")
    parser.add_argument("--workers", type=int, default=2, help="checks at a time (2)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="add to the runs of this file, and keep them there")
    options = parser.parse_args(argv)
    try:
        jobs = exercises(options.notebook, options.exercise)
        found = kept_in(options.record) if options.record else {}
        left = chunks(jobs, range(options.first, options.first + options.seeds), found)
        for one in sweep_all(left, options.minutes, options.workers, progress=True):
            for failure in one.failures[:3]:
                tqdm.write(f"✗ {one.exercise} {failure}")
            found[one.exercise] = found.get(one.exercise, SweepResult(one.exercise)) + one
            if options.record:
                write_atomically(options.record, json.dumps(report(found.values()), indent=1) + "\n")
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    return format_report(found.values(), options.seeds)


def format_report(found: Iterable[SweepResult], wanted: int) -> int:
    """Print a line for each check and the sum; 0 if nothing failed, nothing was slow and all runs were made, else 1."""
    found = sorted(found, key=lambda one: one.exercise)
    for one in found:
        print(
            f"{one.exercise:<42}{one.runs:>6} runs{len(one.failures):>5} failed  {one.mean_s:.2f} s, at most {one.slowest_s:.2f}"
        )
    figures, short = report(found), [one.exercise for one in found if one.runs < wanted]
    print(
        f"{figures['runs']} runs, {figures['failures']} failures; slower than {LIMIT:g} s on average: {figures['slow'] or 'none'}"
    )
    if short:
        print(f"fewer than {wanted} runs so far: {len(short)} of {len(found)} checks")
    return 1 if figures["failures"] or figures["slow"] or short else 0
