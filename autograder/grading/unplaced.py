"""Entries of exports that are nobody's: each stays in the ledger until a later run over the same export places it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from autograder.grading.ledger import Entry, Ledger
from autograder.intake.discover import Handins


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
    nothing was ever judged.

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
    came = {
        one.data["student"]
        for one in ledger
        if one.kind == "refused" and one.data.get("source") == source and "student" in one.data
    }
    people = sorted(who for who in came if (assignment, who) in table and not table[(assignment, who)].verdict)
    for who in people:
        ledger.append("removed", student=who, assignment=assignment, reason=reason, by=by)
    return sorted({*(item for _, item in items), *people})


def log_unplaced(ledger: Ledger, assignment: str, handins: Handins) -> None:
    """Enter what an export holds for nobody; mark as resolved what it no longer holds or holds for somebody now."""
    refused = {one.item for one in handins.refused}
    placed = {path.name for one in handins.found for path in (one.path, *(more for more, _ in one.more))}
    for source, item in unplaced(ledger, assignment):
        if item not in refused and (source == handins.source or item in placed):
            ledger.append("refused", item=item, assignment=assignment, reason="", source=source, resolved=True)
    for one in handins.refused:
        ledger.append("refused", item=one.item, assignment=assignment, reason=one.reason, source=handins.source)
