"""A second judgement for work that may have suffered from its neighbours: alone on the machine, after all others.

What runs at the same time can make a check slow, or take the memory that it needs. So a submission that came near a limit
while others were running, and lacks points, is judged once more by itself. What lacked points counts as it came out then;
what had its points keeps them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from autograder.grading.store import stored_json, stored_of
from autograder.records import Check, Result, Verdict, in_points

NEAR = 0.5  # share of a check's time limit from which on its clock may be to blame
LIMITS = re.compile(r"kernel (died|was (lost|started again))|took too long|died too often|time was used up|used more")


def limited(text: str, checks: Mapping[str, Check]) -> str:
    """Why an answer of the judge may be its neighbours' doing, in a clause; "" if it cannot be.

    Args:
        text: the answer as JSON, a result or a state.
        checks: with their time limits.
    """
    data = json.loads(text)
    if "result" not in data:
        return str(data["reason"]) if data["state"] in ("dead", "timeout", "error") else ""
    result = Result.from_json(data["result"])
    lacking = [verdict for verdict in result.verdicts if verdict.points < verdict.max_points]
    for verdict in lacking:
        limit = checks[verdict.exercise].timeout
        if verdict.status in ("timeout", "dead"):
            return f"{verdict.exercise} ended with {verdict.status} after {verdict.seconds:.0f} s"
        if verdict.seconds >= NEAR * limit:
            return f"{verdict.exercise} took {verdict.seconds:.1f} of its {limit:.0f} s"
    words = [note for note in result.notes if LIMITS.search(note)]
    return words[0] if lacking and words else ""


def merged(first: str, second: str, why: str) -> str:
    """The answer that counts: the first, with everything that lacked points taken from the second.

    Args:
        first: the judge's answer while others were running.
        second: the answer when it ran alone.
        why: the clause of :func:`limited`.
    """
    before, after = json.loads(first), json.loads(second)
    if "result" not in after:
        return first if "result" in before else _told(second, after, why)
    new = stored_of(after)
    if "result" not in before:
        new.result.notes.append(_note(why, []))
        return stored_json(new.result, new.intake)
    old = stored_of(before)
    alone = {verdict.exercise: verdict for verdict in new.result.verdicts}
    taken = [v for v in old.result.verdicts if v.points < v.max_points and v.exercise in alone]
    chosen = [alone[v.exercise] if v in taken else v for v in old.result.verdicts]
    # outputs and notes are those of the run whose verdicts count
    result = replace(new.result, verdicts=chosen, notes=[*new.result.notes, _note(why, taken)])
    return stored_json(result, new.intake)


def _told(text: str, data: dict[str, Any], why: str) -> str:
    if "reason" not in data:  # unchanged: it was graded before
        return text
    return json.dumps(data | {"reason": f"{data['reason']} (also when judged by itself; before: {why})"})


def _note(why: str, taken: list[Verdict]) -> str:
    before = ", ".join(f"{v.exercise} {v.status} with {in_points(v.points)} after {v.seconds:.1f} s" for v in taken)
    return f"judged again by itself, because others were running when {why}" + (f"; before: {before}" if before else "")
