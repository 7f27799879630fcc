"""How long ``exercise check`` takes for every exercise: ``python -m benchmarks.speed.exercise_check --record FILE``.

The command is what a person waits for, so its wall time is measured, from a fresh Python to its end. Run it on a machine
with nothing else to do: the load before each run is in the record, and what was measured beside other work is run again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from autograder.quality.exercise import exercises
from benchmarks.paths import ROOT
from benchmarks.speed.measure import machine
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

LIMIT = 30.0  # seconds
IDLE = 2.6  # largest load of the last minute at which a time counts; the run before it leaves two
SLOWEST = 5  # exercises that are named

Times = dict[str, dict[str, float]]


def wanted(notebook: str | None = None) -> dict[str, int]:
    """Number of answers on file by ``notebook/exercise``, of all exercises that have a check."""
    rows = exercises(ROOT / "solutions", notebook)
    return {
        f"{row['notebook']}/{row['exercise']}": row["wrong"] + row["right"] for row in rows if row["kind"] == "check"
    }


def timed(name: str, workers: int) -> dict[str, float]:
    """Wall seconds of one command, and the load of the machine before it.

    Raises:
        CourseError: the command says that something is wrong: then its time says nothing.
    """
    notebook, _, exercise = name.partition("/")
    load, start = os.getloadavg()[0], time.monotonic()
    command = [sys.executable, "-m", "autograder", "exercise", "check", notebook, exercise, "--workers", str(workers)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CourseError(
            f"{name}: {(done.stderr or done.stdout).strip().splitlines()[-1]}; mend it, then measure again"
        )
    return {"wall_s": round(time.monotonic() - start, 1), "load": round(load, 2)}


def read(path: Path) -> Times:
    """Times of a record; none where there is no file. Raises CourseError for another file."""
    try:
        return dict(json.loads(path.read_text(encoding="utf-8"))["exercises"]) if path.is_file() else {}
    except (ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path} is no record of exercise checks ({error}); name another file.") from None


def idle(one: Mapping[str, float] | None) -> bool:
    """Whether a time was taken on an idle machine."""
    return one is not None and one["load"] <= IDLE


def lines(found: Times, known: Mapping[str, int]) -> Iterator[str]:
    """What was measured, for people: how many are under the limit, and the slowest."""
    sound = {name: one["wall_s"] for name, one in found.items() if name in known and idle(one)}
    under = sum(seconds < LIMIT for seconds in sound.values())
    yield f"{under} of {len(known)} under {LIMIT:g} s; {len(known) - len(sound)} not measured on an idle machine"
    for name, seconds in sorted(sound.items(), key=lambda one: -one[1])[:SLOWEST]:
        yield f"  {name}: {seconds:.0f} s, {known[name]} answers"


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: 0 if every exercise was measured on an idle machine, else 1."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.exercise_check", description=(__doc__ or "")[:75])
    parser.add_argument("notebook", nargs="?", help="number of one notebook; all without it")
    parser.add_argument("--record", type=Path, required=True, help="file of times; what was measured there stays")
    parser.add_argument("--workers", type=int, default=2, help="processes that judge, as in the command (2)")
    options = parser.parse_args(argv)
    known, found = wanted(options.notebook), read(options.record)
    left = [name for name in known if not idle(found.get(name))]
    for name in tqdm(left, unit="exercise"):
        found[name] = timed(name, options.workers)
        content: dict[str, Any] = {"machine": machine(torch.device("cpu")), "exercises": dict(sorted(found.items()))}
        write_atomically(options.record, json.dumps(content, indent=1) + "\n")
    print("\n".join(lines(found, known)))
    return 0 if all(idle(found.get(name)) for name in known) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CourseError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
