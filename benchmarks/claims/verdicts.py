"""What is wrong with the table of claims, as sentences: the notebooks, the table and the results must say the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.claims.results import agrees, found_at, load, value_at
from benchmarks.claims.table import Claim, Entry, Other
from benchmarks.claims.units import Unit
from course_utils.errors import CourseError

TO_MEASURE = re.compile(r"(?<![\w.^{])[-−+]?(?:\d[\d,]*\.\d+|\d+(?=\s?(?:%|percent\b|per cent)))(?![\w}])")
TO_ENTER = "enter it in benchmarks/claims/{}.toml, as a [[claim]] or as an [[other]] with its reason"


def problems(units: Mapping[str, Sequence[Unit]], table: Sequence[Entry], root: Path) -> list[str]:
    """Every problem: missing quotes, sentences in no entry, claims that their results do not support."""
    found = [f"{name}.toml: there is no notebook {name}" for name in sorted({e.notebook for e in table} - set(units))]
    for name, there in units.items():
        entries = [entry for entry in table if entry.notebook == name]
        found += [*_missing(entries, there), *_not_entered(entries, there)]
    claims = [entry for entry in table if isinstance(entry, Claim)]
    twice = [key for key, count in Counter((claim.notebook, claim.id) for claim in claims).items() if count > 1]
    found += [f"{name}: the id {key} is used twice" for name, key in twice]
    return [*found, *(problem for claim in claims for problem in unsupported(claim, root))]


def _missing(entries: Sequence[Entry], units: Sequence[Unit]) -> Iterator[str]:
    for entry in entries:
        gone = isinstance(entry, Claim) and entry.status == "withdrawn"
        for quote in entry.says:
            there = any(quote in unit.text for unit in units)
            if gone and there:
                yield f"{entry.notebook}, {_name(entry)}: was withdrawn and stands in the notebook: “{quote}”"
            if not gone and not there:
                yield f"{entry.notebook}, {_name(entry)}: no longer in the notebook, or not word for word: “{quote}”"


def _name(entry: Entry) -> str:
    return entry.reason if isinstance(entry, Other) else entry.id


def _not_entered(entries: Sequence[Entry], units: Sequence[Unit]) -> Iterator[str]:
    quotes = [q for e in entries if not (isinstance(e, Claim) and e.status == "withdrawn") for q in e.says]
    for unit in units:
        held = [quote for quote in quotes if quote in unit.text]
        for sentence in unit.to_enter():
            if not any(quote in sentence or sentence in quote for quote in held):
                where = f"{unit.notebook}, cell {unit.cell} (line {unit.line})"
                yield f"{where}: in no claim: “{sentence}”; {TO_ENTER.format(unit.notebook)}"


def unsupported(claim: Claim, root: Path) -> Iterator[str]:
    """What a claim says about its own evidence that is not so."""
    where = f"{claim.notebook}, {claim.id}"
    if not claim.says or not claim.refuted_by:
        yield f"{where}: a claim quotes a sentence and says what would refute it"
    if claim.status != "measured":
        if not claim.note:
            yield f"{where}: a claim that is {claim.status} says why, in its note"
        return
    if missing := [key for key in ("result", "command", "interval") if not getattr(claim, key)]:
        yield f"{where}: is measured and names no {missing[0]}"
        return
    try:
        yield from (f"{where}: {problem}" for problem in _evidence(claim, load(root / claim.result)))
    except CourseError as error:
        yield f"{where}: {error}"


def _evidence(claim: Claim, data: object) -> Iterator[str]:
    if not claim.numbers and not claim.holds:
        yield f"names no number and no condition that {claim.result} has to fulfil"
    try:
        if claim.seeds and (there := _count(data, claim.samples)) < claim.seeds:
            yield f"rests on {claim.seeds} seeds, but {claim.result} has {there}"
        for printed, place in claim.numbers.items():
            if not any(printed in quote for quote in claim.says):
                yield f"“{printed}” is in none of its quotes"
            if not agrees(printed, value_at(data, place)):
                yield f"says {printed}, but {claim.result} has {value_at(data, place):.5g} at {place}"
        for place, low, high in claim.holds:
            if not low <= value_at(data, place) <= high:
                yield f"needs {place} between {low:g} and {high:g}; {claim.result} has {value_at(data, place):.5g}"
    except LookupError as error:
        yield f"{claim.result}: {error.args[0]}"
    known = " ".join([*claim.numbers, *claim.given])
    for quote in claim.says:
        for number in TO_MEASURE.findall(quote):
            if number not in known:
                yield f"{number} in “{quote[:60]}…” is neither in numbers nor in given"


def _count(data: object, samples: str) -> int:
    found = found_at(data, samples)
    return len(found[0]) if len(found) == 1 and isinstance(found[0], list | dict) else len(found)


def sentences_left(units: Mapping[str, Sequence[Unit]], table: Sequence[Entry], number: str) -> str:
    """The sentences of a notebook that are in no entry, as lines of a TOML list."""
    name = next((key for key in units if key.startswith(number)), number)
    entries = [entry for entry in table if entry.notebook == name]
    quotes = [q for e in entries if not (isinstance(e, Claim) and e.status == "withdrawn") for q in e.says]
    left = [s for u in units.get(name, ()) for s in u.to_enter() if not any(q in s or s in q for q in quotes)]
    return "\n".join(f"  '''{sentence}'''," for sentence in left)
