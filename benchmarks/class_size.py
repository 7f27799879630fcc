"""A large class: whether the grader's time grows with the class and its own memory does not.

``python -m benchmarks.class_size --students 2000`` makes a release of a small notebook and as many different hand-ins, every
fifth with a mistake, and grades them with one command. While it runs, the memory of the command's own process (not of its
workers and sandboxes) and the number of results in the ledger are read every second. The result says for each tenth of
the class how many seconds it took and how much memory the process had at its end
(``benchmarks/results/class_size.json``).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from autograder.release.make import make_release
from autograder.source.percent import read_source, strip_markers
from benchmarks.grading import adopt_orphans, reap
from benchmarks.paths import RESULTS, ROOT
from benchmarks.speed.measure import machine
from course_utils.engine.files import write_atomically

NAME = "97_sample"
SOURCES = ROOT / "tests" / "sample_course"
RIGHT = """def baseline(answers):
    {a} = dict()
    for {b} in answers:
        {a}[{b}] = {a}.get({b}, 0) + 1
    return max({a}.values()) / len(answers)  # {number}
"""
WRONG = """def baseline(answers):
    {a} = set(answers)
    return 1 / len({a})  # {number}
"""


@dataclass(frozen=True)
class Reading:
    """One look at the running grader.

    Attributes:
        second: since its start.
        done: results in the ledger.
        mebibytes: resident memory of the command's own process.
    """

    second: float
    done: int
    mebibytes: float


def write_hand_ins(release: Path, folder: Path, count: int) -> None:
    """``count`` archives, all different: other names in the code, and a mistake in every fifth."""
    skeleton = json.loads((release / "student" / "notebooks" / f"{NAME}.ipynb").read_text(encoding="utf-8"))
    own = {
        cell.id: strip_markers(cell.text) for cell in read_source(SOURCES / f"{NAME}.py").cells if cell.role == "answer"
    }
    folder.mkdir()
    for number in range(count):
        dice = random.Random(number)
        names = {"a": f"counts_{dice.randrange(10**6)}", "b": f"answer_{dice.randrange(10**6)}", "number": number}
        text = own | {"answer-baseline": (WRONG if number % 5 == 4 else RIGHT).format(**names)}
        cells = [{**cell, "source": text.get(cell["id"], cell["source"])} for cell in skeleton["cells"]]
        with zipfile.ZipFile(folder / f"s{number:05d}.zip", "w") as archive:
            archive.writestr(f"{NAME}.ipynb", json.dumps({**skeleton, "cells": cells}))
            archive.writestr("shout.txt", "OSLO\nROME\n")


def grade(release: Path, folder: Path, out: Path, workers: int) -> tuple[list[Reading], dict[str, Any]]:
    """Run the command and look at it every second; the readings and its summary.

    Raises:
        RuntimeError: the command failed.
    """
    options = [
        "--release",
        str(release),
        "--assignment",
        NAME,
        "--workers",
        str(workers),
        "--from",
        "folders",
        "--quiet",
    ]
    out.mkdir()
    command = [sys.executable, "-m", "autograder", "grade", str(folder), *options, "--out", str(out)]
    readings, begin = [], time.monotonic()
    with (out / "log.txt").open("w") as log:
        command += ["--json", str(out / "summary.json")]
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        while process.poll() is None:
            readings.append(Reading(round(time.monotonic() - begin, 1), _entries(release), _resident(process.pid)))
            time.sleep(1.0)
    if process.returncode not in (0, 1):
        raise RuntimeError(f"grading ended with {process.returncode}: {(out / 'log.txt').read_text()[-2000:]}")
    readings.append(Reading(round(time.monotonic() - begin, 1), _entries(release), readings[-1].mebibytes))
    return readings, json.loads((out / "summary.json").read_text(encoding="utf-8"))


def _entries(release: Path) -> int:
    """Results that the ledger has."""
    path = release / "instructor" / "ledger.jsonl"
    return path.read_bytes().count(b'"kind": "verdict"') if path.is_file() else 0


def _resident(pid: int) -> float:
    """Resident memory of a process in MiB; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def tenths(readings: Sequence[Reading], count: int) -> list[dict[str, float]]:
    """For each tenth of the class: seconds that it took and memory at its end."""
    rows, before = [], readings[0].second
    for part in range(1, 11):
        ended = next((one for one in readings if one.done >= part * count / 10), readings[-1])
        rows.append({"seconds": round(ended.second - before, 1), "mebibytes": round(ended.mebibytes, 1)})
        before = ended.second
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade one class and write the result; 0, or 1 if somebody has no result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.class_size", description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS / "class_size.json")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="class-") as name:
        place = Path(name)
        release = make_release(place / "release", seed=1, assignments=[NAME], source_dir=SOURCES)
        write_hand_ins(release, place / "in", options.students)
        adopt_orphans()
        before = os.times()
        readings, found = grade(release, place / "in", place / "out", options.workers)
        reap()
        after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    outcomes = found["outcomes"]
    result = {
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(torch.device("cpu")),
        "load": os.getloadavg(),
        "students": options.students,
        "workers": options.workers,
        "graded": sum(one["points"] is not None for one in outcomes),
        "seconds": readings[-1].second,
        "cpu_seconds": round(cpu, 1),
        "tenths": tenths(readings, options.students),
        "last": asdict(readings[-1]),
    }
    write_atomically(options.out, (json.dumps(result, indent=1) + "\n").encode())
    print(json.dumps(result, indent=1))
    return 0 if result["graded"] == options.students else 1


if __name__ == "__main__":
    sys.exit(main())
