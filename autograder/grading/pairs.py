"""An arrival and its verdict are two entries of the ledger that count together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, TypeVar


class HasKind(Protocol):
    """An entry of the ledger, as far as it matters here."""

    @property
    def kind(self) -> str: ...
    @property
    def data(self) -> dict[str, Any]: ...


One = TypeVar("One", bound=HasKind)


ARRIVED = "arrived"  # how an arrival without its verdict is read


def paired(entries: Iterable[One]) -> Iterator[tuple[str, One]]:
    """The entries, each with the kind that it is read as: an arrival whose verdict did not come is :data:`ARRIVED`.

    The grader ended between the two. Such a hand-in was not judged: it replaced nothing, and nothing replaced it. The next
    run that is given it judges it; until then reports say that it was not.
    """
    found = list(entries)
    waiting: dict[tuple[str, str], int] = {}  # place of the newest arrival
    halves: set[int] = set()
    for place, entry in enumerate(found):
        key = (str(entry.data.get("student")), str(entry.data.get("assignment")))
        if entry.kind == "intake":
            halves |= {waiting[key]} if key in waiting else set()
            waiting[key] = place
        elif entry.kind == "verdict" and key in waiting:
            same = found[waiting[key]].data.get("sha256") == entry.data.get("sha256")
            halves |= set() if same else {waiting[key]}  # a verdict of other work: this one never came
            waiting.pop(key)
    halves |= set(waiting.values())
    yield from ((ARRIVED if place in halves else entry.kind, entry) for place, entry in enumerate(found))
