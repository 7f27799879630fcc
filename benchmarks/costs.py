"""What each notebook costs: `python -m benchmarks.costs` runs every solution notebook and writes data/costs.json.

The pieces of work of `course_utils.costs` are timed before and after each notebook. With `--check`, nothing is written:
every notebook's cost is predicted from a ten-second calibration first, then measured, and the error is told. Other machines
can be imitated: `ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 python -m benchmarks.costs --check`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from autograder.build import notebook_bytes, read_sources, source_notebook
from autograder.percent import Source
from autograder.rendering import Run, executed
from benchmarks.measure import machine
from course_utils.config import PROFILES
from course_utils.cost_table import measured
from course_utils.costs import PIECES, TRAININGS, VOCABULARY, calibrate, predict, world_lengths
from course_utils.data import write_atomically
from course_utils.errors import CourseError
from course_utils.preflight import preflight

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "data"
# The piece of work that a notebook mostly does.
PIECE = {"02_blocks": "encoder", "05_transfer": "encoder", "06_pretraining": "encoder"} | dict.fromkeys(
    TRAININGS, "gpt"
)
WITHIN = 0.25  # how far a prediction may be off


def run(source: Source, keep: Path | None = None) -> Run:
    """The solution notebook, executed in an empty folder; with its outputs in the folder `keep`, if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        notebook, cost = executed(source_notebook(source), source, Path(folder))
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        write_atomically(keep / f"{source.name}.ipynb", notebook_bytes(notebook))
    return cost


def entry(source: Source, seconds: float, keep: Path | None) -> dict[str, Any]:
    """One notebook's record: its seconds, and how many pieces of work that is here and now."""
    piece = PIECE.get(source.name, "figure")
    before = calibrate([piece], seconds)[piece]
    cost = run(source, keep)
    here = (before + calibrate([piece], seconds)[piece]) / 2
    found = {"piece": piece, "pieces": round(cost.seconds / here, 1), "seconds": round(cost.seconds, 1)}
    found["memory_mib"] = round(cost.memory_mib)
    if source.name in TRAININGS:
        lengths = {part: world_lengths(DATA)[part] for part in TRAININGS[source.name]}
        forecasts = preflight(PROFILES["laptop"], lengths, VOCABULARY, seconds=seconds)
        found["training_share"] = round(min(60 * sum(f.minutes for f in forecasts.values()) / cost.seconds, 1.0), 3)
    return found


def check(source: Source, seconds: float, keep: Path | None) -> dict[str, Any]:
    """Predicted and measured minutes and memory, and by which share the prediction is off."""
    piece = PIECE.get(source.name, "figure")
    told = predict(source.name, DATA, calibrate([piece], seconds), PROFILES["laptop"])
    cost = run(source, keep)
    off = told.minutes * 60 / cost.seconds - 1, told.memory_mib / cost.memory_mib - 1
    return {
        "predicted_s": round(told.minutes * 60, 1),
        "measured_s": round(cost.seconds, 1),
        "time_off": round(off[0], 3),
        "memory_off": round(off[1], 3),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and write, or check; 1 if a prediction is off by more than a quarter."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.costs", description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", help="names such as 05_transfer; all by default")
    parser.add_argument("--check", action="store_true", help="predict, then measure; write nothing")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each calibration (10)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the executed notebooks there")
    options = parser.parse_args(argv)
    try:
        sources = read_sources(ROOT / "solutions", options.notebooks or None)
        found = {}
        for source in [s for s in sources if s.name != "00_start"]:
            found[source.name] = (check if options.check else entry)(source, options.seconds, options.keep)
            print(source.name, json.dumps(found[source.name]), flush=True)
            if not options.check:
                record(found)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    bad = [
        name for name, f in found.items() if options.check and max(abs(f["time_off"]), abs(f["memory_off"])) > WITHIN
    ]
    if bad:
        print(f"off by more than {WITHIN:.0%}: {', '.join(bad)}")
    return 1 if bad else 0


def record(found: dict[str, Any]) -> None:
    """Put what was found into data/costs.json; notebooks that were not run keep their record."""
    path = DATA / "costs.json"
    kept = measured(DATA) if path.is_file() else {"notebooks": {}}
    notebooks = dict(sorted((kept["notebooks"] | found).items()))
    content = {"machine": machine(torch.device("cpu")), "notebooks": notebooks}
    write_atomically(path, json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    assert set(PIECE.values()) <= set(PIECES)
    raise SystemExit(main())
