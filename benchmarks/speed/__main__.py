"""The course's implementation against peers, timed in one run: `make bench`, or `python -m benchmarks.speed --help`.

All are timed in turns, in at least three rounds; medians and ranges are given, and ratios are taken within a round, so that
a change of the machine's speed affects all. Results are written to benchmarks/results/.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.paths import RESULTS
from benchmarks.speed.contenders import (
    Contender,
    Setting,
    agreement,
    answerers,
    corrupters,
    setting_for,
    trainers,
    widths,
)
from benchmarks.speed.measure import machine, matmul_ceiling
from benchmarks.speed.quality_gate import gate, small
from benchmarks.speed.report import BASE, gpu_busy, ladder_figure, name_of, race, summary, utilisation
from benchmarks.speed.startup import startup
from course_utils import plots
from course_utils.device import pick_device, set_threads
from course_utils.engine.engine import pick_engine
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

PARTS = ("step", "evaluation", "corruption", "startup", "gate")


def arguments_from(argv: Sequence[str] | None) -> argparse.Namespace:
    """What the command line asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="rounds of every race, at least 3 (default 3)")
    parser.add_argument("--steps", type=int, default=4, help="steps per round of contenders with constant cost (4)")
    parser.add_argument("--questions", type=int, default=500, help="questions to answer (500)")
    parser.add_argument("--one-by-one", type=int, default=50, help="of them, how many (a) answers; scaled up (50)")
    parser.add_argument("--device", default="auto", help="cpu, cuda, cuda:1; default a GPU if there is one")
    parser.add_argument("--threads", type=int, help="CPU threads (default OMP_NUM_THREADS, else all cores)")
    parser.add_argument("--mingpt", type=Path, help="a checkout of minGPT or nanoGPT to race against")
    parser.add_argument("--contenders", nargs="+", metavar="NAME", help="of the training step, beside (a); default all")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts of the benchmark")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the JSON and the figure go")
    return parser.parse_args(argv)


def measure(options: argparse.Namespace, setting: Setting) -> dict[str, Any]:
    """Everything asked for, as one JSON value; parts are printed as they are finished."""
    device = setting.device
    formats = {"fp32": torch.float32, name_of(pick_engine(device).dtype): pick_engine(device).dtype}
    found: dict[str, Any] = {
        "machine": machine(device),
        "batch": widths(setting),
        "ceiling_flops": {name: matmul_ceiling(device, dtype) for name, dtype in formats.items()},
        "skipped": [],
    }
    if "step" in options.only:
        racers, missing = trainers(setting, options.steps, options.mingpt)
        if options.contenders:
            racers = chosen(racers, [BASE, *options.contenders])
        found["step"], skipped = race(racers, missing, options.rounds, device)
        found["skipped"] += skipped
        utilisation(found, setting)
        if device.type == "cuda":
            gpu_busy(found["step"], racers, device)
    if "evaluation" in options.only:
        found["evaluation"], skipped = race(
            *answerers(setting, min(options.one_by_one, options.questions)), options.rounds, device
        )
        found["evaluation"]["same_answers"] = agreement(setting)
        found["skipped"] += skipped
    if "corruption" in options.only:
        found["corruption"], _ = race(corrupters(setting), [], options.rounds, device)
    if "startup" in options.only:
        found["startup"] = startup(str(device), torch.get_num_threads())
    if "gate" in options.only:
        found["gate"] = gate(small(setting)).to_json()
    return found


def chosen(racers: dict[str, Contender], names: Sequence[str]) -> dict[str, Contender]:
    """Those of these names, in their order. Raises CourseError for a name that nobody has."""
    if unknown := sorted(set(names) - set(racers)):
        raise CourseError(f"There is no contender {unknown[0]!r}; choose among {', '.join(racers)}.")
    return {name: racer for name, racer in racers.items() if name in names}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write; 1 if the quality gate is not passed, because then no speed may be claimed."""
    options = arguments_from(argv)
    try:
        device = pick_device(options.device)
        set_threads(options.threads)
        found = measure(options, setting_for(device, options.questions))
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    stem = f"bench-{device.type}-{found['machine']['date']}"
    write_atomically(options.out / f"{stem}.json", json.dumps(found, indent=1) + "\n")
    if "step" in found:
        figure, alt = ladder_figure(found["step"], found["machine"]["device"])
        plots.save(figure, options.out / f"{stem}-ladder.png", alt)
    print(summary(found))
    print(f"Written: {options.out / stem}.json")
    return 0 if found.get("gate", {}).get("passed", True) else 1


if __name__ == "__main__":
    raise SystemExit(main())
