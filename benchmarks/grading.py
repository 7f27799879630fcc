"""Grading of a class: this course's grader against stock nbgrader, in turns, in seconds of wall clock and of processor.

``python -m benchmarks.grading`` makes a release, hand-ins of several notebooks from the course's own answers (every third
one with a wrong answer on file), and grades them in rounds: in each round both graders get the same hand-ins, each in one
process at a time. The start of a grader is counted, so few hand-ins in a round say little. Processor
time is that of all processes that a grader started, sandboxes and kernels included. Stock
nbgrader runs student code without a sandbox, and the checks in the student's own process.

With ``--work FOLDER`` an interrupted race goes on where it was stopped: finished turns are kept, and one that was under way
is begun again with new students' ids, so that no grader finds its own earlier results.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from autograder.demo.sample_class import misconception, solutions
from autograder.quality.filed import read_mutants
from autograder.release.make import make_release
from benchmarks.paths import RESULTS, ROOT
from benchmarks.speed.measure import machine
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

NOTEBOOKS = ("01_attention", "03_positions", "04_counting")  # those whose hand-ins are a notebook alone
PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>


@dataclass(frozen=True)
class Turn:
    """One grader on the hand-ins of one notebook in one round, in seconds."""

    grader: str
    notebook: str
    round: int
    students: int
    wall: float
    cpu: float
    points: float


def measured(command: Sequence[str], cwd: Path, env: dict[str, str]) -> tuple[float, float]:
    """Wall and processor seconds of a command and of all that it started, also of what outlived its parent.

    Raises:
        RuntimeError: the command failed.
    """
    adopt_orphans()
    before, begin = os.times(), time.monotonic()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, cwd=cwd, env=env, stdout=log, stderr=log)
        code = process.wait()
        wall = time.monotonic() - begin
        reap()
        log.seek(0)
        if code not in (0, 1):  # 1: somebody was not graded, which the points show
            raise RuntimeError(f"{command[:4]} ended with {code}: {log.read().decode(errors='replace')[-2000:]}")
    after = os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def adopt_orphans() -> None:
    """Let processes whose parent ended come to this one, so that their processor time is counted here."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def reap(seconds: float = 30.0) -> None:
    """Wait for all children that are left."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.05)
        except ChildProcessError:
            return


def hand_ins(release: Path, name: str, count: int) -> dict[str, bytes]:
    """Solved notebooks by student; every third has one wrong answer on file, so that the grader has to explain it."""
    skeleton = json.loads((release / "student" / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    own = solutions(name)
    wrong = [one for several in read_mutants(name).values() for one in several if one.wrong]
    made = {}
    for number in range(count):
        mistake = wrong[(number * 7) % len(wrong)] if wrong and number % 3 == 2 else None
        cells = []
        for cell in skeleton["cells"]:
            text = own.get(cell["id"], cell["source"])
            if mistake and cell["id"] == f"answer-{mistake.exercise}":
                text = misconception(mistake.exercise, mistake.name, name)
            cells.append({**cell, "source": text})
        made[f"s{number:03d}"] = json.dumps({**skeleton, "cells": cells}).encode()
    return made


def ours(release: Path, name: str, folder: Path, out: Path, people: dict[str, bytes]) -> tuple[float, float, float]:
    """Grade with this course's grader. Returns wall and processor seconds, and the sum of points."""
    for student, content in people.items():
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(folder / f"{student}.zip", "w") as archive:
            archive.writestr(f"{name}.ipynb", content)
    command = [
        sys.executable,
        "-m",
        "autograder",
        "grade",
        str(folder),
        "--release",
        str(release),
        "--assignment",
        name,
    ]
    command += [
        "--workers",
        "1",
        "--quiet",
        "--out",
        str(out),
        "--from",
        "folders",
        "--json",
        str(out / "summary.json"),
    ]
    out.mkdir(parents=True, exist_ok=True)
    wall, cpu = measured(command, ROOT, dict(os.environ))
    outcomes = json.loads((out / "summary.json").read_text(encoding="utf-8"))["outcomes"]
    return wall, cpu, sum(one["points"] for one in outcomes if one["student"] in people)


def stock(course: Path, release: Path, name: str, people: dict[str, bytes]) -> tuple[float, float, float]:
    """Grade with ``nbgrader autograde`` in a course of its own. Returns as :func:`ours` does."""
    for student, content in people.items():
        place = course / "submitted" / student / name
        place.mkdir(parents=True)
        (place / f"{name}.ipynb").write_bytes(content)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COURSE_DIR": str(release / "student")}
    options = [
        f"--CourseDirectory.student_id_exclude={_others(course, people)}",
        "--create",
        "--ExecutePreprocessor.timeout=300",
    ]
    command = [sys.executable, "-m", "nbgrader", "autograde", name, *options]
    wall, cpu = measured(command, course, environment)
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        found = [book.find_submission(name, one).score for one in people]
    return wall, cpu, float(sum(found))


def _others(course: Path, people: dict[str, bytes]) -> str:
    """Students of earlier rounds, whom nbgrader shall leave out."""
    return ",".join(sorted(one.name for one in (course / "submitted").iterdir() if one.name not in people)) or "nobody"


def stock_course(release: Path, folder: Path) -> Path:
    """A plain nbgrader course with the release's source notebooks and a gradebook, without our configuration."""
    course = folder / "stock"
    shutil.copytree(release / "instructor" / "source", course / "source")
    shutil.copyfile(release / "instructor" / "gradebook.db", course / "gradebook.db")
    (course / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'stock'\n")
    (course / "submitted").mkdir()
    return course


def race(folder: Path, notebooks: Sequence[str], count: int, rounds: int) -> list[Turn]:
    """Both graders on the same hand-ins, in turns; who begins changes from round to round. It goes on where it stopped.

    Raises:
        CourseError: the folder holds a race with other numbers.
    """
    diary = Diary(folder / "turns.jsonl", {"notebooks": [*notebooks], "students": count, "rounds": rounds})
    release, course = folder / "release", folder / "stock"
    if not (folder / "ready").exists():
        for half in (release, course):
            shutil.rmtree(half, ignore_errors=True)
        make_release(release, seed=1, assignments=list(notebooks))
        stock_course(release, folder)
        (folder / "ready").touch()
    for name in notebooks:
        people = hand_ins(release, name, count)
        for number in range(rounds):
            for grader in ("ours", "stock") if number % 2 == 0 else ("stock", "ours"):
                if diary.done(grader, name, number):
                    continue
                at = diary.begin(grader, name, number)
                part = {f"{name[:2]}-{who}-{at}": text for who, text in list(people.items())[number::rounds]}
                if grader == "ours":
                    found = ours(
                        release, name, *(folder / f"{way}-{name}-{number}-{at}" for way in ("in", "out")), part
                    )
                else:
                    found = stock(course, release, name, part)
                diary.end(Turn(grader, name, number, len(part), *found))
    return diary.turns


class Diary:
    """Turns that were begun and ended, on the disk.

    Raises:
        CourseError: it is that of a race with other numbers.
    """

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self.path, self.turns, self.begun = path, [], []
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        found = [json.loads(one) for one in lines]
        if found and found[0] != about:
            raise CourseError(f"{path}: of a race with {found[0]}; give these numbers, or another --work")
        self.turns = [Turn(**one["ended"]) for one in found if "ended" in one]
        self.begun = [one["begun"] for one in found if "begun" in one]
        if not found:
            self._write(about)

    def _write(self, what: dict[str, Any]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as handle:
            handle.write(json.dumps(what) + "\n")

    def done(self, *turn: Any) -> bool:
        """Whether a turn (grader, notebook, round) ended."""
        return any((one.grader, one.notebook, one.round) == turn for one in self.turns)

    def begin(self, *turn: Any) -> int:
        """Note that a turn begins; how often it was begun before."""
        before = self.begun.count([*turn])
        self.begun.append([*turn])
        self._write({"begun": [*turn]})
        return before

    def end(self, turn: Turn) -> None:
        """Note what came of a turn, and print it."""
        self.turns.append(turn)
        self._write({"ended": asdict(turn)})
        print(line(turn), flush=True)


def line(turn: Turn) -> str:
    """A turn in words."""
    each = f"{turn.wall / turn.students:.1f} s, {turn.cpu / turn.students:.2f} CPU s each"
    return (
        f"{turn.notebook} {turn.grader:5} round {turn.round}: {turn.students} hand-ins, {each}; {turn.points:g} points"
    )


def summary(turns: Sequence[Turn]) -> dict[str, Any]:
    """By notebook: seconds per hand-in of both, and the ratio of processor time within each round."""
    table: dict[str, Any] = {}
    for name in dict.fromkeys(turn.notebook for turn in turns):
        mine, theirs = ([t for t in turns if t.notebook == name and t.grader == who] for who in ("ours", "stock"))
        pairs = zip(sorted(mine, key=lambda t: t.round), sorted(theirs, key=lambda t: t.round), strict=True)
        ratios = [their.cpu / my.cpu for my, their in pairs]
        table[name] = {
            "students": sum(turn.students for turn in mine),
            "ours": _each(mine),
            "stock": _each(theirs),
            "ratio": {
                "median": round(statistics.median(ratios), 2),
                "range": [round(min(ratios), 2), round(max(ratios), 2)],
            },
        }
    return table


def _each(turns: Sequence[Turn]) -> dict[str, float]:
    students = sum(turn.students for turn in turns)
    return {key: round(sum(getattr(turn, key) for turn in turns) / students, 3) for key in ("wall", "cpu")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and write it to ``benchmarks/results/grading.json``."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grading", description=__doc__.splitlines()[0])
    parser.add_argument("--notebooks", nargs="+", default=NOTEBOOKS, help=f"default {', '.join(NOTEBOOKS)}")
    parser.add_argument("--students", type=int, default=14, help="hand-ins of each notebook (14)")
    parser.add_argument("--rounds", type=int, default=2, help="turns of each grader on each notebook (2)")
    parser.add_argument("--out", type=Path, default=RESULTS / "grading.json")
    parser.add_argument("--work", type=Path, metavar="FOLDER", help="kept, so that an interrupted race goes on")
    options = parser.parse_args(arguments)
    with nullcontext(options.work) if options.work else tempfile.TemporaryDirectory(prefix="grading-") as folder:
        turns = race(Path(folder).absolute(), options.notebooks, options.students, options.rounds)
    found = {
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(torch.device("cpu")),
        "load": os.getloadavg(),
        "summary": summary(turns),
        "turns": [asdict(turn) for turn in turns],
    }
    write_atomically(options.out, (json.dumps(found, indent=1) + "\n").encode())
    for name, row in found["summary"].items():
        print(f"{name}: ours {row['ours']}, stock {row['stock']} a hand-in; CPU ratio {row['ratio']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
