"""Checks that never cry wolf: every check on the course's own solution, many times over, with fresh seeds.

A check draws its inputs anew in every run. What is right must pass a thousand times in a row, and in time.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from autograder.checking import HandedIn, Private, run_check
from autograder.mutants import ROOT, Bench, Mutant, prepared, public_folder, unmarked
from autograder.percent import read_source, source_paths
from course_utils.data import write_atomically
from course_utils.errors import CourseError

LIMIT = 5.0  # seconds that a check may take on the course's own solution


@dataclass
class Soaked:
    """What became of one check: runs made, seconds of the slowest and on average, and what its failures said."""

    exercise: str
    runs: int = 0
    mean_s: float = 0.0
    slowest_s: float = 0.0
    failures: list[str] = field(default_factory=list)


def soak(path: Path, exercise: str, seeds: range, minutes: float, public: Path, artefacts: Path | None) -> Soaked:
    """Run one check on the solution, once per seed, until all are done or the time is over."""
    source = read_source(path)
    answers = [unmarked(c.text) for c in source.cells if (c.role, c.exercise) == ("answer", exercise)]
    bench = Bench(source, exercise, public, artefacts)
    found, taken, end = Soaked(f"{source.name}/{exercise}"), 0.0, time.monotonic() + 60 * minutes
    try:
        bench.hand_in(Mutant(exercise, "solution", "\n".join(answers), wrong=False))
        handed, private = HandedIn(bench.files, source.name), Private((artefacts or bench.files) / "private")
        for seed in seeds:
            if time.monotonic() > end:
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


def exercises(notebook: str | None, exercise: str | None) -> list[tuple[Path, str]]:
    """Source and id of every check asked for. Raises CourseError if there is none."""
    found = [
        (path, cell.exercise)
        for path in source_paths(ROOT / "solutions")
        if notebook in (None, path.stem)
        for cell in read_source(path).cells
        if cell.role == "check" and exercise in (None, cell.exercise)
    ]
    if not found:
        raise CourseError(f"There is no check {exercise or ''} in {notebook or 'any notebook'}.")
    return found


def soaked(
    jobs: Sequence[tuple[Path, str]], seeds: range, minutes: float, workers: int, progress: bool
) -> Iterator[Soaked]:
    """All of them, as they are finished."""
    with tempfile.TemporaryDirectory(prefix="soak-") as scratch:
        public = public_folder(Path(scratch))
        artefacts = {path: prepared(path.stem) for path in dict.fromkeys(path for path, _ in jobs)}
        context = multiprocessing.get_context("spawn")  # checks ring alarms, which takes a process's main thread
        with (
            ProcessPoolExecutor(workers, mp_context=context) as pool,
            tqdm(total=len(jobs), disable=not progress) as bar,
        ):
            futures = [pool.submit(soak, path, name, seeds, minutes, public, artefacts[path]) for path, name in jobs]
            for future in as_completed(futures):
                bar.update()
                yield future.result()


def report(found: Sequence[Soaked]) -> dict[str, Any]:
    """Figures of all checks, and whether all is well: no failure, and none slower than it may be on average."""
    return {
        "checks": [asdict(f) for f in found],
        "runs": sum(f.runs for f in found),
        "failures": sum(len(f.failures) for f in found),
        "slow": [f.exercise for f in found if f.mean_s > LIMIT],
    }


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: 0 if nothing failed and nothing was slow, else 1."""
    parser = argparse.ArgumentParser(prog="python -m autograder soak", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("notebook", nargs="?", help="such as 07_knowledge; all without it")
    parser.add_argument("--exercise", help="one check alone")
    parser.add_argument("--seeds", type=int, default=1000, help="runs of each check (1000)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop a check after this long")
    parser.add_argument("--workers", type=int, default=2, help="checks at a time (2)")
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON too")
    options = parser.parse_args(argv)
    seeds, found = range(options.first, options.first + options.seeds), []
    for one in soaked(exercises(options.notebook, options.exercise), seeds, options.minutes, options.workers, True):
        found.append(one)
        tqdm.write(
            f"{one.exercise:<42}{one.runs:>6} runs{len(one.failures):>5} failed  {one.mean_s:.2f} s, at most {one.slowest_s:.2f}"
        )
        for failure in one.failures[:3]:
            tqdm.write(f"  ✗ {failure}")
    figures = report(found)
    print(
        f"{figures['runs']} runs, {figures['failures']} failures; slower than {LIMIT:g} s on average: {figures['slow'] or 'none'}"
    )
    if options.json:
        write_atomically(options.json, json.dumps(figures, indent=1) + "\n")
    return 1 if figures["failures"] or figures["slow"] else 0
