"""The demo: make a release, train on fresh worlds (fictional corpora), grade a sample class, and write a report."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.demo.sample_class import NOTEBOOK, write_class
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.grading.store import write_atomic
from autograder.grading.summary import Summary
from autograder.release.make import make_release
from autograder.release.read import load_release
from autograder.reports.class_report import Figure, class_report
from autograder.reports.feedback import write_feedback
from autograder.sandbox.layers import OVERRIDE
from course_utils import plots
from course_utils.errors import CourseError
from solutions.reference.experiment import (
    CONDITIONS,
    LABELS,
    ExperimentResult,
    Seed,
    curves_figure,
    place,
    progress_bar,
    run_worlds,
)

SEED = 2026  # the demo's release; a real term draws a secret one
WORLDS = 5


def world_seeds(seed: int = SEED, worlds: int = WORLDS) -> list[Seed]:
    """Seeds of the release's own world and of further worlds, in the form that make_release uses."""
    return [f"{seed + i}/world" for i in range(worlds)]


def demo(out: Path, seed: int = SEED, worlds: int = WORLDS, workers: int = 2) -> dict[str, Any]:
    """Run the demo in the folder ``out``; finished parts are not repeated. Return the content of ``summary.json``.

    Raises:
        CourseError: no bubblewrap, an unwritable folder, broken sources.
    """
    os.environ.setdefault(OVERRIDE, "cgroup")  # the sample class is trusted, so it may run without a control group
    start = time.monotonic()
    out = Path(out)
    release = out / "release"
    if not (release / "release.json").is_file():
        make_release(release, seed=seed, term="Demo")
    outcome = _train(out / "worlds", world_seeds(seed, worlds), workers)
    opened = load_release(release)
    write_class(opened.skeleton(NOTEBOOK), place(out / "worlds", outcome.seeds[0]), out / "submissions")
    summary = grade(out / "submissions", opened, out / "grades", NOTEBOOK, Settings(workers=workers))
    pages = write_feedback(opened, NOTEBOOK, out / "report" / "feedback")
    report = class_report(opened, NOTEBOOK, out / "report", [_curves(outcome, out)], pages, "Demo class · 07 Knowledge")
    found = _summary(outcome, summary, report, time.monotonic() - start)
    write_atomic(out / "summary.json", json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    return found


def _train(folder: Path, seeds: list[Seed], workers: int) -> ExperimentResult:
    bar, advance = progress_bar(len(seeds) * (1 + len(CONDITIONS)))
    with bar:
        return run_worlds(seeds, folder, workers, advance=advance)


def _curves(outcome: ExperimentResult, out: Path) -> Figure:
    """The report's figure: accuracy against epoch over all worlds."""
    figure, alt = curves_figure(outcome)
    path = plots.save(figure, out / "accuracy_by_epoch.png", alt)
    return Figure(path, alt, "Scratch against pretrained, in the first epochs of finetuning")


def _summary(outcome: ExperimentResult, summary: Summary, report: Path, seconds: float) -> dict[str, Any]:
    """The content of ``summary.json``: mean test accuracies, those of each world, and the class's points."""
    names = ("majority", *CONDITIONS)
    return {
        "seconds": round(seconds, 1),
        "accuracy": {name: round(statistics.fmean(outcome.test(name)), 4) for name in names},
        "accuracy_by_world": {name: outcome.test(name) for name in names},
        "worlds": outcome.seeds,
        "class": [
            {
                "student": one.student,
                "points": one.points,
                "max": one.max_points,
                "notes": one.notes,
                "state": one.state,
            }
            for one in summary.outcomes
        ],
        "report": str(report),
        "exit_code": summary.exit_code,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and print where the report is; 0 if every submission was graded."""
    parser = argparse.ArgumentParser(prog="python -m autograder demo", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/demo"), help="folder for everything (build/demo)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the release and its worlds ({SEED})")
    parser.add_argument("--worlds", type=int, default=WORLDS, help=f"worlds to train on, at least 2 ({WORLDS})")
    parser.add_argument("--workers", type=int, default=2, help="trainings and submissions at a time (2)")
    options = parser.parse_args(arguments)
    if options.worlds < 2:
        raise CourseError("The demo compares with another world, so it takes at least --worlds 2.")
    found = demo(options.out, options.seed, options.worlds, options.workers)
    for name, value in found["accuracy"].items():
        print(
            f"{LABELS.get(name, 'most frequent town'):32} {value:6.1%} of test people, mean of {len(found['worlds'])} worlds"
        )
    for one in found["class"]:
        print(f"{one['student']:32} {one['points']:g} of {one['max']:g}")
    print(f"{found['seconds']:.0f} s. Look at {found['report']}")
    return int(found["exit_code"])
