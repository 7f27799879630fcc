"""What a very large class would take, computed from a measured one. Nothing of that size was run.

``python -m benchmarks.at_scale --students 100000 --workers 200`` reads ``benchmarks/results/class_size.json``. Per hand-in
that file has seconds of processor, bytes on the disk and memory of a worker. A second number of hand-ins enters through the
gradebook: one process writes it, one student after the other, and looks through the ledger each time. So its time is
``a n + b n²``; ``a`` and ``b`` come from the two halves of the measured class.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.paths import RESULTS
from course_utils.errors import CourseError

HOUR = 3600.0
FIELDS = (
    "students",
    "cpu_seconds",
    "own_cpu_seconds",
    "entering_halves",
    "bytes_per_hand_in",
    "mebibytes_per_worker",
    "last",
)


@dataclass(frozen=True)
class Costs:
    """Costs of one hand-in as measured.

    Attributes:
        judging: seconds of processor of workers and sandboxes.
        entering: seconds of the one process that writes the gradebook, where the class is small.
        growth: seconds that are added to that for each hand-in that is there already, twice over: ``b`` of ``b n²``.
        stored: bytes that stay on the disk, the ledger counted twice.
        moved: bytes to a worker and back, on a cluster.
        worker: MiB of a worker with its sandbox.
        supervisor: MiB of the process that starts the workers.
    """

    judging: float
    entering: float
    growth: float
    stored: int
    moved: int
    worker: float
    supervisor: float


def costs(found: Mapping[str, Any]) -> Costs:
    """Costs of a hand-in from a result of ``benchmarks.class_size``.

    Raises:
        CourseError: the file is of an earlier version.
    """
    if lost := [name for name in FIELDS if name not in found]:
        raise CourseError(f"class_size.json has no {lost[0]}; measure again: python -m benchmarks.class_size")
    count, sizes = found["students"], found["bytes_per_hand_in"]
    first, second = found["entering_halves"]
    growth = max(0.0, 2 * (second - first) / count**2)
    return Costs(
        judging=(found["cpu_seconds"] - found["own_cpu_seconds"]) / count,
        entering=(first + second) / count - growth * count,
        growth=growth,
        stored=2 * sizes["ledger"] + sizes["results"] + sizes["notebooks"] + sizes["gradebook"],
        moved=sizes["handed_in"] + sizes["results"],
        worker=found["mebibytes_per_worker"],
        supervisor=found["last"]["mebibytes"],
    )


@dataclass(frozen=True)
class Estimate:
    """A class on paper: hours, GB, and which of the two parts decides the time."""

    judging_core_hours: float
    judging_hours: float
    entering_hours: float
    stored_gb: float
    moved_gb: float
    memory_gb: float
    price: float

    @property
    def bottleneck(self) -> str:
        """The part that takes longer."""
        return "the gradebook" if self.entering_hours > self.judging_hours else "judging"

    @property
    def hours(self) -> float:
        """From start to end: results are entered after the last one is judged."""
        return self.judging_hours + self.entering_hours


def estimate(one: Costs, students: int, workers: int, price: float) -> Estimate:
    """The costs of ``students`` hand-ins with ``workers`` cores; ``price`` of a core for an hour, in any currency."""
    core = one.judging * students / HOUR
    return Estimate(
        judging_core_hours=core,
        judging_hours=core / workers,
        entering_hours=(one.entering * students + one.growth * students**2) / HOUR,
        stored_gb=one.stored * students / 1e9,
        moved_gb=one.moved * students / 1e9,
        memory_gb=(one.worker * workers + one.supervisor) * 2**20 / 1e9,
        price=core * price,
    )


def table(one: Costs, students: int, workers: Sequence[int], price: float) -> str:
    """Estimates for several numbers of cores, as Markdown."""
    lines = ["| cores | judging | gradebook | memory | decides |", "|---:|---:|---:|---:|---|"]
    for number in workers:
        est = estimate(one, students, number, price)
        lines.append(
            f"| {number} | {est.judging_hours:.1f} h | {est.entering_hours:.1f} h | {est.memory_gb:.0f} GB | {est.bottleneck} |"
        )
    est = estimate(one, students, workers[0], price)
    lines += ["", f"{students:,} hand-ins: {est.judging_core_hours:,.0f} core hours ({est.price:,.0f} at {price:g} an hour), "
                  f"{est.stored_gb:.1f} GB stored, {est.moved_gb:.1f} GB moved on a cluster."]  # fmt: skip
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 2 and a sentence where nothing was measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.at_scale", description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=100_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[16, 200, 1000], help="cores")
    parser.add_argument("--price", type=float, default=0.05, help="of a core for an hour: that of your provider")
    parser.add_argument("--measured", type=Path, default=RESULTS / "class_size.json")
    options = parser.parse_args(arguments)
    try:
        one = costs(json.loads(options.measured.read_text(encoding="utf-8")))
    except FileNotFoundError:
        print(f"error: {options.measured} is not there; measure: python -m benchmarks.class_size", file=sys.stderr)
        return 2
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"of a hand-in: {one}\n\n{table(one, options.students, options.workers, options.price)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
