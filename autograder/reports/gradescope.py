"""Gradescope's ``results.json`` from a result: points, names and hints that a student may see, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autograder.records import Result, Verdict, in_points
from autograder.reports.feedback import number, status_tag


def results_json(result: Result, written: Mapping[str, float], notes: Sequence[str], visibility: str) -> dict[str, Any]:
    """The file's content for a submission that was judged. How long it took is not in it: code can say something by that.

    Args:
        written: points of written answers by exercise; they are no part of the score.
        notes: sentences of intake, meant for the student.
        visibility: when students see the tests.
    """
    said = list(notes)
    if written:
        points = in_points(float(number(sum(written.values()))))
        said.append(f"Not in this score: {points} for written answers ({', '.join(written)}), which a person marks.")
    return {
        "output": "\n".join(said),
        "output_format": "text",
        "stdout_visibility": "hidden",  # what is printed is for instructors
        "tests": [_test(verdict, visibility) for verdict in result.verdicts],
    }


def _test(verdict: Verdict, visibility: str) -> dict[str, Any]:
    told = verdict.shown
    words = status_tag(told.status).words
    return {
        "name": verdict.exercise,
        "score": told.points,
        "max_score": verdict.max_points,
        "status": "passed" if told.points == verdict.max_points else "failed",
        "output": f"{words}: {told.hint}" if told.hint else words,
        "output_format": "text",
        "visibility": visibility,
    }


def refused_json(reason: str, points: float) -> dict[str, Any]:
    """The file's content for a submission that cannot be judged as it is: no points, and what the student has to mend.

    Args:
        points: of all checks.
    """
    words = f"This submission was not judged: {reason}"
    test = {
        "name": "submission",
        "score": 0.0,
        "max_score": points,
        "status": "failed",
        "output": words,
        "output_format": "text",
        "visibility": "visible",
    }
    return {"output": words, "output_format": "text", "stdout_visibility": "hidden", "tests": [test]}
