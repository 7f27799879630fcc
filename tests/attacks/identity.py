"""Exports in which a hand-in is named so that it would be graded as somebody else's: the spoofs of the intake's own tests.

The control is a reader that believes names, as that of version 0.1 did: one pattern after the other, the greediest first.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import yaml

from tests.attacks.record import Attack, Trace, Wall
from tests.autograder.intake.spoofs import NAME, SPOOFS, Case, played

KNOWN = 20  # so many of the list are variations of what the first attackers found
# Spoofs that do not deceive the control's reader: tests of intake, no attacks of this suite.
HONEST = {
    "that upload graded by itself",
    "Canvas upload named like another Canvas upload",
    "Moodle flat, file named like Canvas's",
    "Canvas and Moodle in one folder",
    "Canvas and Moodle in one folder, said to be Canvas",
    "zips and one loose notebook",
    "one loose notebook named like the assignment",
    "a folder called submitted",
    "a folder called submitted among folders",
    "a stray file among Canvas downloads",
    "a folder of an assignment",
    "Gradescope's top folder among zips",
    "all letters Cyrillic, the same look",
    "a number of no end",
    "the number 0",
    "another's upload by a late mark",
    "a notebook that claims another student",
    "an inner file that carries another's name",
    "an inner folder called submitted",
    "Canvas number on the class list, file name another's",
    "a hand-in named by another's number",
    "a look-alike of the class list",
    "a Canvas name of two people",
    "a Moodle number of Canvas",
}
NUMBERED = (
    re.compile(r"^.+_(?P<id>\d+)_assignsubmission_[a-z]+_?.*$", re.DOTALL),
    re.compile(r"^[^_]+_(?:LATE_)?(?P<id>\d+)_\d+_.+$", re.DOTALL),
)


def strike(folder: Path, wall: Wall, build: Callable[[Path], Case]) -> Trace:
    """Students graded with another's work; every entry has an outcome, or the whole export is refused in a sentence."""
    case = build(folder / "in")
    whose, entries = played(case, folder / "taken")
    named = [who for who, owner in whose.items() if who in case.honest and owner != case.honest[who]]
    wrong = len(named) + len([who for who in whose if who in case.forbidden and who not in case.honest])
    return Trace(wrong, entries, case.entries, len(whose) < case.entries)


def control(folder: Path, build: Callable[[Path], Case]) -> float:
    """Whether a believing reader puts one person's work under another's id, or two people's under one."""
    case = build(folder / "in")
    claims: dict[str, set[str]] = defaultdict(set)
    for name, data in entries_of(case.path):
        claims[believed(name)] |= owners_of(data)
    for who, data in named_in_table(case):
        claims[placed(who)] |= owners_of(data)
    honest = {placed(who): owner for who, owner in case.honest.items()}
    wrong = [place for place, owners in claims.items() if owners - {honest.get(place, "")} and place in honest]
    taken = [who for who in case.forbidden if claims.get(placed(who))]
    return float(bool(wrong or taken) or any(len(owners) > 1 for owners in claims.values()))


def owners_of(data: bytes) -> set[str]:
    """Whose work the text says it is."""
    return {found.decode() for found in re.findall(rb"# by (\w+)", data)}


def named_in_table(case: Case) -> Iterator[tuple[str, bytes]]:
    """Gradescope's table as YAML understands it: whoever of the class list has one of a submitter's values, wherever."""
    table = case.path / "submission_metadata.yml"
    if case.roster is None or not table.is_file():
        return
    people = list(csv.reader(io.StringIO(case.roster.read_text(encoding="utf-8"))))[1:]
    for folder, entry in yaml.safe_load(table.read_text(encoding="utf-8")).items():
        text = b"".join(one.read_bytes() for one in (case.path / folder).glob("*.ipynb"))
        for values in entry[":submitters"]:
            said = {str(value) for key, value in values.items() if key != ":name"}
            yield from ((row[0], text) for row in people if said & set(row))


def entries_of(path: Path) -> list[tuple[str, bytes]]:
    """Names of everything that looks like a hand-in, wherever it lies, with the text of its notebooks."""
    if path.is_file():
        inner = [(name.replace("\\", "/").rpartition("/")[2], data) for name, data in unpacked(path.read_bytes())]
        return [(path.name, b"".join(data for _, data in inner)), *inner]
    found = []
    for one in sorted(path.rglob("*")):
        if one.suffix.lower() == ".zip":
            found.append((one.name, b"".join(data for _, data in unpacked(one.read_bytes()))))
        elif one.suffix == ".ipynb":
            found += [(name, one.read_bytes()) for name in {one.name, one.parent.name} - {path.name, f"{NAME}.ipynb"}]
    return found


def unpacked(data: bytes) -> list[tuple[str, bytes]]:
    """Entries of a zip; of a zip inside it, the text of its notebooks."""
    made = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            text = archive.read(name)
            if name.lower().endswith(".zip") or text[:2] == b"PK":
                text = b"".join(part for _, part in unpacked(text))
            made.append((name, text))
    return made


def believed(name: str) -> str:
    """Who that is: the platform's number if there is one, else the name in plain letters."""
    for pattern in NUMBERED:
        if found := pattern.match(name):
            return f"number {int(found['id'])}"
    return plain(Path(name).stem)


def placed(who: str) -> str:
    """An id in the same form."""
    found = re.search(r"_(\d{2,})$", who)
    return f"number {int(found[1])}" if found else plain(who)


def plain(text: str) -> str:
    """Letters and digits alone, in one case, without marks."""
    return re.sub(r"[^\w]+|_", "", unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold())


ATTACKS = [
    Attack(
        name, "identity", "identity", partial(strike, build=build), partial(control, build=build),
        known=number < KNOWN, layers=(),
    )
    for number, (name, build) in enumerate(SPOOFS)
    if name not in HONEST
]  # fmt: skip
