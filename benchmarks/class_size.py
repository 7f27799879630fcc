"""A large class: whether the grader's time grows with the class and its own memory does not.

``python -m benchmarks.class_size --students 2000`` makes a release of a small notebook and as many different hand-ins, every
fifth with a mistake, and grades them with one command. While it runs, the memory of the command's own process (not of its
workers and sandboxes) and the number of results in the ledger are read every second. The result says for each tenth of
the class how many seconds it took and how much memory the process had at its end
(``benchmarks/results/class_size.json``).

With ``--work FOLDER`` an interrupted run goes on: the grader leaves alone what was graded, and seconds, processor time and
readings are added up. What ``kill -9`` ends is not counted; a terminal's Ctrl-C and SIGTERM are.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import torch

from autograder.release.make import make_release
from autograder.source.percent import read_source, strip_markers
from benchmarks.grading import adopt_orphans, reap
from benchmarks.paths import RESULTS, ROOT
from benchmarks.speed.measure import machine
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

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
        entered: results in nbgrader's gradebook, which come after the last verdict.
        own_cpu: seconds of processor of the command's own process.
        below: resident memory of all processes that it started, shared pages counted for each.
    """

    second: float
    done: int
    mebibytes: float
    entered: int = 0
    own_cpu: float = 0.0
    below: float = 0.0


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


def prepared(place: Path, count: int) -> Path:
    """The release, with as many hand-ins; those of an earlier call if they are there.

    Raises:
        CourseError: it is there for another number of students.
    """
    ready = place / "ready"
    if ready.exists() and ready.read_text() != str(count):
        raise CourseError(f"{place}: holds a run with {ready.read_text()} students; give that number or another --work")
    if not ready.exists():
        for part in ("release", "in", "out"):
            shutil.rmtree(place / part, ignore_errors=True)
        place.mkdir(parents=True, exist_ok=True)
        make_release(place / "release", seed=1, assignments=[NAME], source_dir=SOURCES)
        write_hand_ins(place / "release", place / "in", count)
        ready.write_text(str(count))
    return place / "release"


def go_on(release: Path, place: Path, workers: int) -> tuple[list[Reading], dict[str, Any], float]:
    """Grade, with what earlier calls spent added: readings, the last summary, seconds of processor."""
    diary = place / "spent.json"
    spent = json.loads(diary.read_text()) if diary.exists() else {"cpu": 0.0, "readings": []}
    readings = [Reading(**one) for one in spent["readings"]]
    begin, before = (readings[-1].second if readings else 0.0), os.times()
    found: dict[str, Any] = {}
    try:
        found = grade(release, place / "in", place / "out", workers, readings, begin)
    finally:
        reap()
        after = os.times()
        cpu = spent["cpu"] + sum(after[2:4]) - sum(before[2:4])
        write_atomically(diary, json.dumps({"cpu": cpu, "readings": [asdict(one) for one in readings]}).encode())
    return readings, found, cpu


def stored_sizes(release: Path, count: int) -> dict[str, int]:
    """Bytes on the disk for each hand-in: as it came, the ledger (kept twice), results, nbgrader's folders and gradebook."""
    course = release / "instructor"
    books = [*(course / "submitted").rglob("*"), *(course / "autograded").rglob("*")]
    parts = {
        "handed_in": (release.parent / "in").iterdir(),
        "ledger": [course / "ledger.jsonl"],
        "results": (course / "results").rglob("*"),
        "notebooks": books,
        "gradebook": [course / "gradebook.db"],
    }
    return {name: sum(one.stat().st_size for one in paths if one.is_file()) // count for name, paths in parts.items()}


def grade(
    release: Path, folder: Path, out: Path, workers: int, readings: list[Reading], begun: float = 0.0
) -> dict[str, Any]:
    """Run the command and look at it every second; its summary.

    Args:
        readings: what is seen is added to them.
        begun: seconds that earlier calls took.

    Raises:
        RuntimeError: the command failed.
    """
    options = ["--release", release, "--assignment", NAME, "--workers", workers, "--from", "folders", "--out", out]
    out.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "autograder", "grade", str(folder), "--quiet", *map(str, options)]
    begin = time.monotonic() - begun
    with (out / "log.txt").open("w") as log:
        command += ["--json", str(out / "summary.json")]
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        try:
            while process.poll() is None:
                readings.append(_look(release, process.pid, time.monotonic() - begin))
                time.sleep(1.0)
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            process.wait(60)
            raise
    if process.returncode not in (0, 1):
        raise RuntimeError(f"grading ended with {process.returncode}: {(out / 'log.txt').read_text()[-2000:]}")
    end = round(time.monotonic() - begin, 1)
    readings.append(replace(readings[-1], second=end, done=_entries(release), entered=_entries(release, "recorded")))
    return json.loads((out / "summary.json").read_text(encoding="utf-8"))


def _entries(release: Path, kind: str = "verdict") -> int:
    """Entries of a kind that the ledger has."""
    path = release / "instructor" / "ledger.jsonl"
    return path.read_bytes().count(f'"kind": "{kind}"'.encode()) if path.is_file() else 0


def _look(release: Path, pid: int, second: float) -> Reading:
    """A reading of a running grader; memory and processor 0 if it has just ended."""
    own, cpu, below = 0.0, 0.0, 0.0
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        own, cpu = process.memory_info().rss / 2**20, sum(process.cpu_times()[:2])
        for one in process.children(recursive=True):
            with suppress(psutil.Error):
                below += one.memory_info().rss / 2**20
    return Reading(round(second, 1), _entries(release), own, _entries(release, "recorded"), cpu, below)


def entering(readings: Sequence[Reading], count: int) -> list[float]:
    """Seconds in which the first and the second half of the class were entered in the gradebook."""
    start = next((one for one in readings if one.done >= count), readings[-1]).second
    half = next((one for one in readings if one.entered >= count / 2), readings[-1]).second
    end = next((one for one in readings if one.entered >= count), readings[-1]).second
    return [round(half - start, 1), round(end - half, 1)]


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
    parser.add_argument("--work", type=Path, metavar="FOLDER", help="kept, so that an interrupted run goes on")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # both are a KeyboardInterrupt
    with nullcontext(options.work) if options.work else tempfile.TemporaryDirectory(prefix="class-") as name:
        place = Path(name).absolute()
        release = prepared(place, options.students)
        adopt_orphans()
        readings, found, cpu = go_on(release, place, options.workers)
        sizes = stored_sizes(release, options.students)
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
        "entering_halves": entering(readings, options.students),
        "own_cpu_seconds": round(max(one.own_cpu for one in readings), 1),
        "mebibytes_per_worker": round(max(one.below for one in readings) / options.workers, 1),
        "bytes_per_hand_in": sizes,
    }
    write_atomically(options.out, (json.dumps(result, indent=1) + "\n").encode())
    print(json.dumps(result, indent=1))
    return 0 if result["graded"] == options.students else 1


if __name__ == "__main__":
    sys.exit(main())
