"""The cost of each notebook: `python -m benchmarks.costs` runs every solution notebook and writes data/measured/costs.json.

A notebook's time is expressed as a number of pieces of work (`course_utils.notebook.costs`): training steps for its trainings,
starts of Python for the rest. The pieces are timed in another process while the notebook runs, so that a change of the
machine's speed affects both. With `--check`, nothing is written: every notebook's cost is predicted from a ten-second
calibration, then measured, and the error printed; `--older` does the same as on an older processor (no wide vectors).
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch

from autograder.source.build import notebook_bytes, read_sources, source_notebook
from autograder.source.percent import Source
from autograder.source.rendering import Run, executed
from benchmarks.paths import ROOT
from benchmarks.speed.measure import machine
from course_utils.config import PROFILES
from course_utils.device import pick_device
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.notebook.cost_table import measured
from course_utils.notebook.costs import (
    PIECES,
    TRAININGS,
    VOCABULARY,
    calibrate,
    keep_calibration,
    predict,
    world_lengths,
)
from course_utils.notebook.forecast import preflight
from course_utils.notebook.session import Course

DATA = ROOT / "data"
WITHIN = 0.25  # largest relative error of a prediction
# seconds between two turns of the pieces while a notebook runs: at first, and later, so that they do not slow it down
PAUSES = (2.0, 15.0)
FIRST = 5  # turns with the shorter pause
# Settings of the three libraries that multiply matrices, as on a processor without AVX, which has no bfloat16 either.
OLDER = {
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
    "COURSE_DTYPE": "fp32",
}


def kinds(source: Source) -> list[str]:
    """The pieces of work in which a notebook's time is expressed: one for its trainings (second), one for the rest."""
    return ["start", "gpt" if source.name in TRAININGS else "encoder"]


def run(source: Source, here: Mapping[str, float], keep: Path | None = None) -> Run:
    """Execute the solution notebook in a folder with the calibration `here`, so that its own is not part of its cost.

    The notebook with its outputs is written to the folder `keep`, if one is given.
    """
    with tempfile.TemporaryDirectory() as folder:
        course = Course(source.name, DATA, Path(folder) / "work" / source.name, PROFILES["laptop"], pick_device())
        keep_calibration(course, dict.fromkeys(PIECES, 1.0) | dict(here))  # the record itself may name older pieces
        notebook, cost = executed(source_notebook(source), source, Path(folder))
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        write_atomically(keep / f"{source.name}.ipynb", notebook_bytes(notebook))
    return cost


@contextmanager
def metered(names: Sequence[str], found: dict[str, float]) -> Iterator[None]:
    """While the block runs, time the pieces of work every few seconds in another process; put their means into `found`."""
    command = [sys.executable, "-m", "benchmarks.costs", "--meter", *names]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            yield
        finally:
            told, _ = process.communicate("\n")
    if process.returncode != 0:
        raise CourseError(
            f"The pieces of work could not be timed beside the notebook: exit status {process.returncode}."
        )
    found |= json.loads(told)


def meter(names: Sequence[str]) -> dict[str, float]:
    """Mean seconds of each piece, timed in short turns until a line arrives on standard input."""
    turns = []
    while True:
        turns.append(calibrate(names, seconds=0.0))
        if select.select([sys.stdin], [], [], PAUSES[len(turns) > FIRST])[0]:
            return {name: float(np.mean([turn[name] for turn in turns])) for name in names}


def counts(cost: Run, names: Sequence[str], beside: Mapping[str, float]) -> dict[str, float]:
    """How many pieces of each of two kinds take as long as a run, when one took ``beside`` seconds; zero counts are left out."""
    seconds = dict(zip(names, (cost.seconds - cost.training, cost.training), strict=True))
    found = {name: round(taken / beside[name], 1) for name, taken in seconds.items()}
    return {name: count for name, count in found.items() if count > 0}


def timed(source: Source, names: Sequence[str], seconds: float, keep: Path | None) -> tuple[Run, dict[str, float]]:
    """A run, and the seconds of one piece of work during it; for a notebook that trains on all cores, before and after it.

    During such a run, the pieces and the notebook would compete for the cores.
    """
    before = calibrate(names, seconds)  # also the calibration from which the executed notebook prints its prediction
    if "gpt" not in names:
        beside: dict[str, float] = {}
        with metered(names, beside):
            return run(source, before, keep), beside
    cost, after = run(source, before, keep), calibrate(names, seconds)
    return cost, {name: (before[name] + after[name]) / 2 for name in names}


def entry(source: Source, seconds: float, keep: Path | None) -> dict[str, Any]:
    """One notebook's record: seconds and memory here, and its time in pieces of work of each kind; the machine and date."""
    names = kinds(source)
    cost, beside = timed(source, names, seconds, keep)
    print(source.name, cost, {name: round(took, 4) for name, took in beside.items()}, flush=True)
    told: dict[str, Any] = {
        "pieces": counts(cost, names, beside),
        "seconds": round(cost.seconds, 1),
        "memory_mib": round(cost.memory_mib),
        "exercises": rounded(cost.cpu),
        "machine": machine(torch.device("cpu")),
    }
    if source.name in TRAININGS:
        lengths = {part: world_lengths(DATA)[part] for part in TRAININGS[source.name]}
        forecasts = preflight(PROFILES["laptop"], lengths, VOCABULARY, seconds=seconds)
        forecast = 60 * sum(f.minutes for f in forecasts.values())  # what grows with the profile, of all trainings
        told["training_share"] = round(min(forecast, cost.training) / cost.seconds, 3)
    return told


def rounded(cpu: Mapping[str, float]) -> dict[str, float]:
    """CPU seconds of the exercises' cells, rounded for the record."""
    return {name: round(seconds, 1) for name, seconds in cpu.items()}


def exercises(source: Source, seconds: float, keep: Path | None) -> dict[str, Any]:
    """The notebook's existing record, with the CPU time of its exercises' cells measured again, and on which machine."""
    if source.name not in (known := recorded()):
        raise CourseError(f"{source.name} was not measured yet; run python -m benchmarks.costs {source.name} first.")
    cost = run(source, calibrate(kinds(source), seconds), keep)
    return known[source.name] | {"exercises": rounded(cost.cpu), "exercises_machine": machine(torch.device("cpu"))}


def recorded() -> dict[str, dict[str, Any]]:
    """The record of each notebook with the machine, threads and date of its run; older files have one for all of them."""
    path = DATA / "measured" / "costs.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"notebooks": {}}
    shared = {"machine": kept["machine"]} if "machine" in kept else {}
    return {name: shared | one for name, one in kept["notebooks"].items()}


def check(source: Source, seconds: float, keep: Path | None) -> dict[str, Any]:
    """Predicted and measured seconds, and the relative errors of time and memory."""
    here = calibrate(measured(DATA)["notebooks"][source.name]["pieces"], seconds)
    told, cost = predict(source.name, DATA, here, PROFILES["laptop"]), run(source, here, keep)
    off = told.minutes * 60 / cost.seconds - 1, told.memory_mib / cost.memory_mib - 1
    return {
        "predicted_s": round(told.minutes * 60, 1),
        "measured_s": round(cost.seconds, 1),
        "time_off": round(off[0], 3),
        "memory_off": round(off[1], 3),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and write, or check; 1 if a prediction's error is larger than WITHIN."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.costs", description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", help="names such as 05_transfer; all by default")
    parser.add_argument("--check", action="store_true", help="predict, then measure; write nothing")
    parser.add_argument("--exercises", action="store_true", help="renew only the CPU time of the exercises' cells")
    parser.add_argument("--older", action="store_true", help="check as on a processor without wide vectors")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each calibration (10)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the executed notebooks there")
    parser.add_argument("--meter", nargs="+", choices=PIECES, metavar="PIECE", help="time these until a line is read")
    options = parser.parse_args(argv)
    if options.meter:
        print(json.dumps(meter(options.meter)))
        return 0
    if options.older:  # the libraries read the settings once, when they are loaded
        rest = [word for word in (sys.argv[1:] if argv is None else argv) if word != "--older"]
        again = [sys.executable, "-m", "benchmarks.costs", *rest, "--check"]
        return subprocess.run(again, env=os.environ | OLDER, cwd=ROOT, check=False).returncode
    try:
        return measure(options)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2


def measure(options: argparse.Namespace) -> int:
    """Record or check the notebooks asked for. Raises CourseError for an unknown one, or a cell that fails."""
    sources, found = read_sources(ROOT / "solutions", options.notebooks or None), {}
    for source in [s for s in sources if s.name != "00_start"]:
        way = check if options.check else exercises if options.exercises else entry
        found[source.name] = way(source, options.seconds, options.keep)
        print(source.name, json.dumps(found[source.name]), flush=True)
        if not options.check:
            record(found)
    bad = [
        name for name, f in found.items() if options.check and max(abs(f["time_off"]), abs(f["memory_off"])) > WITHIN
    ]
    if bad:
        print(f"off by more than {WITHIN:.0%}: {', '.join(bad)}")
    return 1 if bad else 0


def record(found: dict[str, Any]) -> None:
    """Write the records into data/measured/costs.json; notebooks that were not run keep theirs, with their machines."""
    content = {"notebooks": dict(sorted((recorded() | found).items()))}
    write_atomically(DATA / "measured" / "costs.json", json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
