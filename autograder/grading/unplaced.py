"""Entries of exports that are nobody's: each stays in the ledger until a later run over the same export places it."""

from __future__ import annotations

from collections.abc import Iterable

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


def log_unplaced(ledger: Ledger, assignment: str, handins: Handins) -> None:
    """Enter what an export holds for nobody; mark as resolved what it no longer holds or holds for somebody now."""
    refused = {one.item for one in handins.refused}
    placed = {path.name for one in handins.found for path in (one.path, *(more for more, _ in one.more))}
    for source, item in unplaced(ledger, assignment):
        if item not in refused and (source == handins.source or item in placed):
            ledger.append("refused", item=item, assignment=assignment, reason="", source=source, resolved=True)
    for one in handins.refused:
        ledger.append("refused", item=one.item, assignment=assignment, reason=one.reason, source=handins.source)
