"""What a judge's process or another machine answered, looked at before anything is made of it."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from autograder.grading.store import stored_of
from autograder.grading.worker import Task
from course_utils.errors import CourseError

STATES = ("unchanged", "refused", "error", "dead", "timeout")  # of an answer without a result


def readable(task: Task, text: str) -> str:
    """The answer, if it is a result of this very hand-in or says why there is none; else one that says it is neither.

    One answer that is cut off, or is another student's, must neither end the run nor be entered.
    """
    try:
        why = _amiss(task, json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        why = type(error).__name__
    if not why:
        return text
    return json.dumps({"state": "dead", "reason": f"the judge's answer cannot be used ({why}); grade again"})


def _amiss(task: Task, data: Any) -> str:
    """What is wrong with an answer, or an empty string."""
    if "result" in data:
        found = stored_of(data)
        whose = {(one.student, one.assignment) for one in (found.result, found.intake)}
        return "" if whose == {(task.found.student, task.assignment)} else "it speaks of another hand-in"
    if data["state"] not in STATES:
        return "a state that there is not"
    return "" if isinstance(data.get("reason", ""), str) else "its reason is no text"


def sweep(folder: Path) -> None:
    """Remove answers that graders left which were killed."""
    for left in folder.glob("answers-*"):
        pid = left.name.split("-")[1]
        if not (pid.isdigit() and Path(f"/proc/{pid}").exists()):
            shutil.rmtree(left, ignore_errors=True)


def ready(folder: Path) -> Path:
    """The folder, made if need be. Raises CourseError if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise CourseError(f"{folder}: cannot be written ({error.strerror}); choose another --out") from error
