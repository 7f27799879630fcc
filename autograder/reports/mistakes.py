"""What went wrong in a class, gathered: by mistakes on file, by promises of the text, by errors; and who may need help."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.grading.store import ReleaseLike
from autograder.judge.hints import OTHER_DATA, OTHER_INPUTS, UNNAMED
from autograder.reports.feedback import number
from autograder.reports.roll import StudentRow
from course_utils.checks.casefile import folder_of, read

MOST = 15  # lines of the table
FEW = 0.5  # share of the points below which a student is named
KNOWN, BROKEN, ERROR, HIDDEN, BLANK, OTHER = (
    "known mistake",
    "promise not kept",
    "error",
    "other inputs",
    "not solved",
    "hint",
)


@dataclass(frozen=True)
class OnFile:
    """What is known of an exercise: hints of the wrong answers on file, and the sentences that its text promises."""

    hints: frozenset[str] = frozenset()
    promises: tuple[str, ...] = ()


def on_file(release: ReleaseLike, assignment: str) -> dict[str, OnFile]:
    """What the release's file of visible cases says, by exercise; none where a check is not made of promises.

    Raises:
        CourseError: the file cannot be read.
    """
    path = folder_of(Path(release.root) / "student" / "data") / f"{assignment}.json"
    if not path.is_file():
        return {}
    return {
        name: OnFile(frozenset(one[0] for one in entry["mistakes"]), tuple(one[0] for one in entry["promises"]))
        for name, entry in read(path).items()
    }


def sorted_out(hint: str, status: str, known: OnFile) -> tuple[str, str]:
    """Kind of a hint, and the words under which equal mistakes are counted together.

    A broken promise is told with what came, or with the error that came instead; its sentence is what they share.
    """
    if status == "unsolved" or hint == UNNAMED:
        return BLANK, "not written yet"
    if hint in known.hints:
        return KNOWN, hint
    for sentence in sorted(known.promises, key=len, reverse=True):
        if hint == sentence or hint.startswith(f"{sentence} (") or hint.endswith(f"promised is: {sentence}"):
            return BROKEN, sentence
    if hint in (OTHER_INPUTS, OTHER_DATA):
        return HIDDEN, hint
    return (ERROR if status in ("error", "timeout", "dead") else OTHER), hint


def mistake_rows(students: Sequence[StudentRow], known: Mapping[str, OnFile]) -> list[dict[str, Any]]:
    """The most frequent mistakes of the whole notebook, with the students who made them; the most frequent first.

    An exercise that was not tried is no mistake; the table of exercises counts it.
    """
    made: dict[tuple[str, str, str], list[StudentRow]] = defaultdict(list)
    for one in students:
        for row in one.rows:
            if row.hint:
                kind, words = sorted_out(row.hint, row.status, known.get(row.exercise, OnFile()))
                if kind != BLANK:
                    made[row.exercise, kind, words].append(one)
    often = sorted(made.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        {"exercise": exercise, "kind": kind, "words": words, "count": len(people), "students": people}
        for (exercise, kind, words), people in often[:MOST]
    ]


def may_need_help(students: Sequence[StudentRow]) -> list[tuple[StudentRow, str]]:
    """Students with less than half of the points that are decided, before anything is taken off for lateness, and why."""
    found = []
    for one in students:
        decided = [row for row in one.rows if row.points != "–"]
        most = sum(float(row.max_points) for row in decided)
        points = sum(float(row.points) for row in decided)
        if one.excused or not most or points >= FEW * most:
            continue
        blank = [row.exercise for row in decided if row.status == "unsolved"]
        wrong = [
            row.exercise for row in decided if float(row.points) < float(row.max_points) and row.exercise not in blank
        ]
        parts = [f"{number(points)} of {number(most)}"]
        parts += [f"not solved: {', '.join(blank)}"] if blank else []
        parts += [f"wrong or partly right: {', '.join(wrong)}"] if wrong else []
        found.append((one, "; ".join(parts)))
    return found
