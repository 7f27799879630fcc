"""How late a hand-in is, as far as anybody knows when it came, and who became late by a run of ``grade``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from autograder.grading.summary import some
from autograder.reports.feedback import number
from autograder.reports.term import Term

LATE_UNKNOWN = "by how much is not known"
UNTIMED = "no time of hand-in that can be read, nothing taken off"
UNKNOWN = "first seen after the due time, when they came is not known, nothing taken off"
GIVE = "give their times with python -m autograder times"
TIMED = ("gradescope", "nbgrader")  # platforms whose exports say when a hand-in came
MOST = 20  # names in a sentence


@dataclass(frozen=True)
class Lateness:
    """How late the hand-in is that stands.

    Attributes:
        late: in words, or an empty string.
        share: the share of the points that counts, from 0 to 1.
        untimed: the platform gives times and this hand-in has none that can be read, though there is a due date.
        unknown: no platform and nobody said when it came, and it was first seen after the due time.
        platform: where it came from.
        marked: whether the platform marked it as late.
    """

    late: str = ""
    share: float = 1.0
    untimed: bool = False
    unknown: bool = False
    platform: str = ""
    marked: bool = False

    def __str__(self) -> str:
        return self.late + (f"; {number(100 * self.share)} % count" if self.share < 1 else "")


def lateness(came: Mapping[str, Any], due: datetime | None, term: Term) -> Lateness:
    """How late a hand-in is.

    Args:
        came: the ledger's entry of its arrival, with the time that a person gave, if one did.
        due: when this student had to hand in, or None.
        term: grace, and what is kept of the points.
    """
    platform, marked = str(came.get("platform", "")), bool(came.get("late"))
    if came.get("timed"):
        late = term.lateness(came["received"], due)
        return Lateness(span(late) if late else "", term.share(late), platform=platform, marked=marked)
    if marked:
        return Lateness(f"marked late by {platform}, {LATE_UNKNOWN}", platform=platform, marked=True)
    if due is None:
        return Lateness(platform=platform)
    if platform in TIMED:
        return Lateness(untimed=True, platform=platform)
    # what was seen before the due time came before it
    seen = str(came.get("received", ""))
    return Lateness(unknown=not seen or bool(term.lateness(seen, due)), platform=platform)


def unknown(people: Mapping[str, Lateness]) -> list[str]:
    """Who may be late and nobody knows. Where Canvas marked some as late, it has a due date, and the others came in time."""
    canvas = any(one.marked and one.platform == "canvas" for one in people.values())
    return [who for who, one in people.items() if one.unknown and not (canvas and one.platform == "canvas")]


def remarks(people: Mapping[str, Lateness]) -> list[str]:
    """What to say of those whose time is not known; nothing where there are none."""
    who = unknown(people)
    return [f"{UNKNOWN}: {_names(who)}; {GIVE}"] if who else []


def changed(before: Mapping[str, Lateness] | None, after: Mapping[str, Lateness]) -> list[str]:
    """How many are late, who became so by a run, and whose time is not known, a sentence each.

    Args:
        before: as it was before the run; None where that could not be read.
        after: as it is now.
    """
    late = {who: one for who, one in after.items() if one.late}
    lines = []
    if late:
        words = f"late: {len(late)}"
        new = [f"{who} ({one})" for who, one in late.items() if (before or {}).get(who) != one]
        if before is not None:
            words += f"; by this run: {_names(new)}" if new else "; by this run nobody"
        lines.append(words)
    gone = [who for who, one in (before or {}).items() if one.late and who in after and who not in late]
    lines += [f"no longer late: {_names(gone)}"] if gone else []
    untimed = [who for who, one in after.items() if one.untimed]
    lines += [f"{UNTIMED}: {_names(untimed)}; {GIVE}"] if untimed else []
    return lines + remarks(after)


def _names(who: Sequence[str]) -> str:
    return some(who, most=MOST)


def span(time: timedelta) -> str:
    """A time as people say it: ``2 d 3 h``, ``5 min``, ``15 min 1 s``; below one hour with its seconds."""
    seconds = max(1, int(time.total_seconds()))
    minutes, rest = divmod(seconds, 60)
    days, hours = divmod(minutes // 60, 24)
    parts = [(days, "d"), (hours, "h"), (minutes % 60, "min"), (rest if minutes < 60 else 0, "s")]
    return " ".join([f"{count} {unit}" for count, unit in parts if count][:2])
