"""Answers of which one part uses what it must not: what is left of them is judged where that part was never run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.judge.hints import CheckTimeout
from autograder.judge.run_check import alarm, bounded_memory
from autograder.judge.walk import code_cells
from autograder.records import Check, Job
from course_utils.checks.casefile import Entry, find
from course_utils.checks.forbidden import refusal, without_forbidden

STUDENTS = ("answer-", "extra-")  # beginnings of the names of cells that the student wrote


def other_texts(texts: Mapping[str, str], exercise: str) -> list[str]:
    """The student's cells, the answer to an exercise left out."""
    return [text for name, text in texts.items() if name.startswith(STUDENTS) and name != f"answer-{exercise}"]


def left_of(entry: Entry | None, answer: str, others: Sequence[str] = ()) -> tuple[str, dict[str, str]]:
    """An answer without the parts that use what is forbidden, and these parts with the sentence; the answer if there is none."""
    if entry is None or not entry.forbid or not entry.shares:
        return answer, {}
    text, lost = without_forbidden(answer, entry.forbid, entry.functions(), others)
    return (answer, {}) if "" in lost else (text, {part: refusal(names) for part, names in lost.items()})


def apart(job: Job, checks: Iterable[Check]) -> dict[str, tuple[Job, dict[str, str]]]:
    """By exercise: a job with what is left of such an answer in its cell, and the lost parts with the sentence."""
    texts = dict(code_cells(job.notebook))
    found = {}
    for check in checks:
        name = f"answer-{check.id}"
        if "forbid" in check.source and "shares" in check.source and name in texts:
            text, lost = _in_time(job, check, texts)
            if lost:
                found[check.id] = replace(job, notebook=_with(job.notebook, name, text)), lost
    return found


def _in_time(job: Job, check: Check, texts: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """As :func:`left_of`; nothing is lost where that takes too long or does not work: the check then refuses the whole."""
    answer = texts[f"answer-{check.id}"]
    try:
        with alarm(check.timeout), bounded_memory():
            entry = find(Path(job.public) / "data", check.id, job.assignment)
            return left_of(entry, answer, other_texts(texts, check.id))
    except (CheckTimeout, Exception):  # a student wrote the text, so it may be made to break whatever reads it
        return answer, {}


def _with(notebook: Mapping[str, Any], name: str, text: str) -> dict[str, Any]:
    cells = [{**cell, "source": text} if cell.get("id") == name else cell for cell in notebook["cells"]]
    return {**notebook, "cells": cells}
