"""People of whom work was taken in and who stand on no line of the class list: whose they are a person has to say."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.grading.identities import People
from autograder.grading.store import ReleaseLike, open_ledger
from autograder.intake.platforms import Item
from autograder.intake.roster import Roster
from autograder.reports.renamed import merge_words
from autograder.reports.roll import term_roster
from course_utils.errors import CourseError


@dataclass(frozen=True)
class Unlisted:
    """Who is on no line of the class list in an assignment.

    Attributes:
        ids: of whom the ledger has something, graded or refused.
        same: id of these to the ids of the class list whose hand-in is the same.
        known: id of these to the one of the class list whose id, address or name its hand-in bears.
    """

    ids: tuple[str, ...]
    same: Mapping[str, tuple[str, ...]]
    known: Mapping[str, str]

    def words(self, release: Path, assignment: str) -> list[str]:
        """Sentences about them, with what to do; none where there is nobody."""
        if not self.ids:
            return []
        where = f"--release {shlex.quote(str(release))}"
        lines = [
            f"not on the class list, and something came from them in {assignment}: {', '.join(self.ids)}; give a list that "
            f"has them (term roster), or say who they are: python -m autograder merge NEW OLD {where} --reason …"
        ]
        for who, others in self.same.items():
            lines.append(
                f"{who} and {' and '.join(others)} have the same hand-in, and each has a row with its grade; if they are one "
                f"person: python -m autograder merge {others[0]} {who} --keep {assignment}={others[0]} {where} "
                "--reason 'another id'"
            )
        return lines + merge_words({who: one for who, one in self.known.items() if who not in self.same}, release)


def unlisted(release: ReleaseLike, assignment: str) -> Unlisted:
    """Everybody of an assignment who is on no line of the term's class list; nobody where there is none.

    Raises:
        CourseError: ledger or class list cannot be read.
    """
    roster = term_roster(release, assignment)
    if roster is None:
        return Unlisted((), {}, {})
    people = open_ledger(release).people()
    table = {who: one for (name, who), one in sorted(people.table.items()) if name == assignment}
    off = [who for who in table if not _listed(roster, people, who)]
    works = {who: one.verdict["sha256"] for who, one in table.items() if one.verdict}
    same, known = {}, {}
    for who in off:
        twins = tuple(one for one, sha in works.items() if one not in off and sha == works.get(who))
        if twins:
            same[who] = twins
        if now := _meant(roster, who, table[who].intake):
            known[who] = now
    return Unlisted(tuple(off), same, known)


def _listed(roster: Roster, people: People, who: str) -> bool:
    return any(one in roster.names for one in people.identities.same(who))


def _meant(roster: Roster, who: str, intake: Mapping[str, Any] | None) -> str:
    """The one of the class list whose id, address or name a hand-in bears, or an empty string."""
    name = str((intake or {}).get("name") or who)
    try:
        return roster.match("folders", Item(Path(name), who, name))
    except CourseError:  # nobody, or several
        return ""
