"""Hand-ins of two people that are the same file: certain, quickly found, and no proof of anything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from autograder.grading.identities import People
from autograder.grading.marks import answers
from autograder.intake.rebuild import source_of

BYTES = "the same file, to the byte"
UNWRITTEN = ("unsolved", "missing")  # of a check that found no answer
CONTENT = "the same answers and files"


@dataclass(frozen=True)
class Equal:
    """People with the same hand-in; ``words`` say in what way it is the same."""

    students: tuple[str, ...]
    words: str


@dataclass(frozen=True)
class _Work:
    who: str
    sha: str  # of answers and files
    handed: str  # of the notebook's bytes and the files; empty in a ledger of before


def equal_handins(people: People, assignment: str, skeleton: Mapping[str, Any]) -> list[Equal]:
    """People whose hand-in that stands is one that another person handed in, now or before, ordered by name.

    Where the ledger does not have the bytes of a hand-in, since an earlier version wrote it, all answers and files count.
    Notebooks in which nothing was answered are left out, also those whose answers were emptied: everybody was given those.
    """
    works = _works(people, assignment, _blank(skeleton))
    stands = {
        who: one.verdict["sha256"] for (name, who), one in people.table.items() if name == assignment and one.verdict
    }
    exact, same = defaultdict(set), defaultdict(set)
    for one in works:
        same[one.sha].add(one)
        if one.handed:
            exact[one.handed].add(one)
    old = [group for group in same.values() if not all(one.handed for one in group)]
    found = dict.fromkeys(_people(exact.values(), stands), BYTES)
    found = dict.fromkeys(_people(old, stands), CONTENT) | found
    return [Equal(who, words) for who, words in sorted(found.items())]


def _people(groups: Iterable[set[_Work]], stands: Mapping[str, str]) -> Iterable[tuple[str, ...]]:
    """The people of each group, where there are several and the work of one of them counts."""
    for group in groups:
        who = tuple(sorted({one.who for one in group} & stands.keys()))
        if len(who) > 1 and any(stands.get(one.who) == one.sha for one in group):
            yield who


def _blank(skeleton: Mapping[str, Any]) -> dict[str, set[str]]:
    """Hashes by cell id of what is no answer: what was given, with other blanks around it, and nothing at all."""
    found: dict[str, set[str]] = defaultdict(set)
    for change in (
        str,
        str.strip,
        str.rstrip,
        lambda text: f"{text.rstrip()}\n",
        lambda _: "",
        lambda _: "\n",
        lambda _: " ",
    ):
        cells = [{**cell, "source": change(source_of(cell))} for cell in skeleton["cells"]]
        for key, sha in answers({"cells": cells}).items():
            found[key].add(sha)
    return found


def _answered(verdict: Mapping[str, Any], blank: Mapping[str, set[str]]) -> bool:
    """Whether a hand-in has an answer. Earlier versions did not note ``empty``, or the answers: there a check must have
    found one.
    """
    if verdict.get("empty"):
        return False
    if "answers" not in verdict:
        return any(one.get("status") not in UNWRITTEN for one in verdict["result"]["verdicts"])
    return any(sha not in blank.get(key, ()) for key, sha in verdict["answers"].items())


def _works(people: People, assignment: str, blank: Mapping[str, set[str]]) -> set[_Work]:
    """All work that was judged, but for what is taken out, by the person whose it is."""
    found: dict[str, set[_Work]] = defaultdict(set)
    came: dict[str, Mapping[str, Any]] = {}
    for told in people.history:
        if told.data.get("assignment") != assignment:
            continue
        who, sha = people.identities.of(told.owner), told.data.get("sha256", "")
        if told.kind == "intake":
            came[told.owner] = told.data
        elif told.kind == "removed":
            found.pop(who, None)
        elif told.kind == "verdict" and _answered(told.data, blank):
            arrived = came.get(told.owner, {})
            found[who].add(_Work(who, sha, arrived.get("handed", "") if arrived.get("sha256") == sha else ""))
    return set().union(*found.values())
