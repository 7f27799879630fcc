"""Entries of exports that are nobody's: each stays in the ledger until a later run over the same export places it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from autograder.grading.ledger import Entry, Ledger
from autograder.intake.discover import Handins, NotUnderstood


def unplaced(entries: Iterable[Entry], assignment: str) -> dict[tuple[str, str], str]:
    """Reasons by export and name of the entry, of an assignment, as the ledger tells it."""
    found: dict[tuple[str, str], str] = {}
    for entry in entries:
        data = entry.data
        if entry.kind != "refused" or data.get("assignment") != assignment or "item" not in data:
            continue
        key = (data.get("source", ""), data["item"])
        if data.get("resolved") or data.get("settled"):  # as ledgers written before 0.2.0 say
            found.pop(key, None)
        else:
            found[key] = data["reason"]
    return found


def strike_out(ledger: Ledger, assignment: str, what: str, reason: str, by: str) -> list[str]:
    """Take out an entry that is nobody's, or all that a wrong folder or zip brought: entries of nobody, and people of whom
    the ledger has nothing in this assignment but refusals from there.

    Args:
        what: the entry's name as ``grade`` gave it, or the path of the folder or zip.

    Returns:
        What was taken out; nothing where neither is known.
    """
    source = str(Path(what).resolve())
    items = [key for key in unplaced(ledger, assignment) if key[0] == source] or [
        key for key in unplaced(ledger, assignment) if key[1] == what
    ]
    for place, item in items:
        ledger.append("refused", item=item, assignment=assignment, reason=reason, source=place, resolved=True, by=by)
    table = ledger.people().table
    people = sorted(who for who in _only_from(ledger, assignment, source) if (assignment, who) in table)
    for who in people:
        ledger.append("removed", student=who, assignment=assignment, reason=reason, by=by)
    return sorted({*(item for _, item in items), *people})


def removal(source: str, release: str = "…", assignment: str = "…") -> str:
    """What to do where a wrong folder or zip was given."""
    place = f"--release {release if release == '…' else shlex.quote(release)} --assignment {assignment}"
    return f"if {source} was the wrong one: python -m autograder remove {shlex.quote(source)} {place} --reason 'by mistake'"


def _only_from(entries: Iterable[Entry], assignment: str, source: str) -> set[str]:
    """Students of whom an assignment has nothing but refusals from one source, since they were last taken out."""
    places: dict[str, set[str]] = {}
    for entry in entries:
        data = entry.data
        if data.get("assignment") != assignment or "student" not in data:
            continue
        if entry.kind == "removed":
            places.pop(data["student"], None)
        else:
            place = data.get("source", "") if entry.kind == "refused" else ""
            places.setdefault(data["student"], set()).add(place)
    return {who for who, known in places.items() if known == {source}}


def apart(handins: Handins) -> tuple[dict[str, str], list[NotUnderstood]]:
    """What could not be taken in: the reason by student, where it is clear who handed it in, and the entries of nobody."""
    theirs: dict[str, str] = {}
    for one in handins.refused:
        if one.student:
            theirs.setdefault(one.student, str(one))
    return theirs, [one for one in handins.refused if not one.student]


def log_unplaced(ledger: Ledger, assignment: str, handins: Handins) -> None:
    """Enter what an export holds for nobody; mark as resolved what it no longer holds or holds for somebody now."""
    _, nobodys = apart(handins)
    refused = {one.item for one in nobodys}
    placed = {path.name for one in handins.found for path in (one.path, *(more for more, _ in one.more))}
    placed |= {one.item for one in handins.refused if one.student}
    for source, item in unplaced(ledger, assignment):
        if item not in refused and (source == handins.source or item in placed):
            ledger.append("refused", item=item, assignment=assignment, reason="", source=source, resolved=True)
    for one in nobodys:
        ledger.append("refused", item=one.item, assignment=assignment, reason=one.reason, source=handins.source)
