"""The class list: which platform numbers, names and e-mails belong to which student."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from autograder.intake.names import bare, exact, look, shown, student_id
from autograder.intake.platforms import Item, is_number
from autograder.intake.tables import read_lines
from course_utils.errors import CourseError

UNIQUE = ("id", "email", "canvas_id", "moodle_id", "gradescope_id", "sid")
MOODLE = "moodle_id"
NUMBERS = ("canvas_id", "moodle_id", "gradescope_id")
COLUMNS = ("id", "name", "email", "section", *UNIQUE[2:], "extension", "excused")


@dataclass(frozen=True)
class Roster:
    """The students of a class, by id: for each column its values (in one exact form) with their owners, and the rows.

    ``unused`` are headings of the file that mean nothing here. ``assignment`` is the one that
    the numbers of Moodle are of, once it was chosen (:meth:`of`).
    """

    path: Path
    names: Mapping[str, str]
    index: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    rows: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    assignment: str = ""

    def of(self, assignment: str) -> Roster:
        """The class list as it holds for one assignment: Moodle gives a person another number in each.

        Raises:
            CourseError: two students have one number in it.
        """
        if MOODLE not in self.index:
            return self
        rows = {who: {**row, MOODLE: entry_for(row.get(MOODLE, ""), assignment)} for who, row in self.rows.items()}
        owners: dict[str, list[str]] = {}
        for who, row in rows.items():
            if row[MOODLE]:
                owners.setdefault(row[MOODLE], []).append(who)
        for number, whose in owners.items():
            if len(whose) > 1:
                raise CourseError(
                    f"{self.path}: the moodle_id {number} is {' and '.join(whose)}'s in {assignment}; mend one of them"
                )
        index = {column: found for column, found in self.index.items() if column != MOODLE}
        return replace(self, rows=rows, index=index | ({MOODLE: owners} if owners else {}), assignment=assignment)

    def match(self, platform: str, item: Item) -> str:
        """The id of the student whose hand-in this is.

        Raises:
            CourseError: the end of a sentence that begins with the item's name: nobody, or more than one.
        """
        owners = {owner for column, value in self._claims(platform, item) for owner in self._owners(column, value)}
        if len(owners) == 1:
            (owner,) = owners
            self._must_agree(owner, item)
            return owner
        what = f"number {item.number}" if platform in ("canvas", "moodle") else f"{item.name!r}"
        if owners:
            remedy = f"; add the column {platform}_id" if self.warning(platform) else ""
            if platform not in ("canvas", "moodle", "gradescope"):
                remedy = f"; name it by the id, e.g. {min(owners)}"
            raise CourseError(f"fits {' and '.join(sorted(owners))} in {self.path.name}{remedy}")
        anew = f"; Moodle's numbers are others in each assignment: write {self.assignment or 'NAME'}={item.number} into moodle_id"
        remedy = anew if platform == "moodle" and self.binds(platform) else ""
        raise CourseError(f"is of nobody in {self.path.name} ({what}){remedy}")

    def _claims(self, platform: str, item: Item) -> list[tuple[str, str]]:
        """Column and value pairs that the item is looked up by: the platform's number where the class list has it."""
        column = f"{platform}_id"
        if platform in ("canvas", "moodle"):
            return [(column, item.number)] if self.index.get(column) else [("name", item.name)]
        if platform == "gradescope":
            # a school id is compared with school ids only: in another column the same digits are somebody else's
            known = [(key, value) for key, value in (("sid", item.sid), ("email", item.email)) if value]
            return known or [(column, item.number)]
        label = item.name
        return [(key, label) for key in ("id", "email", "name")]

    def _must_agree(self, owner: str, item: Item) -> None:
        """Raise CourseError if the platform's table and the class list say different things of one person."""
        for column, value in (("sid", item.sid), ("email", item.email)):
            listed = self.value(owner, column)
            if value and listed and exact(value) != exact(listed):
                raise CourseError(
                    f"would be {owner} in {self.path.name}, but has {column} {shown(value)}, not {shown(listed)}"
                )

    def value(self, owner: str, column: str) -> str:
        """What the class list says of a student; an empty string if it says nothing."""
        return self.rows.get(owner, {}).get(column, "")

    def binds(self, platform: str) -> bool:
        """Whether the class list has this platform's own numbers."""
        return platform in ("canvas", "moodle") and bool(self.index.get(f"{platform}_id"))

    def notes(self, platform: str) -> list[str]:
        """What the instructor has to know about this class list."""
        unused = f"{self.path.name}: not used are the columns {', '.join(map(shown, self.unused))}; used are {', '.join(COLUMNS)}"
        return [*filter(None, [self.warning(platform)]), *([unused] if self.unused else [])]

    def warning(self, platform: str) -> str:
        """What to know where hand-ins have numbers and the class list has none of them; else an empty string."""
        column = f"{platform}_id"
        if platform not in ("canvas", "moodle") or self.binds(platform):
            return ""
        more = (
            ", with entries such as 01_attention=901: a number of Moodle is of one assignment"
            if platform == "moodle"
            else ""
        )
        return (
            f"{self.path.name} has no column {column}: hand-ins were given to students by their names on {platform}, which "
            f"people may change there; add the column {column}{more}"
        )

    def _owners(self, column: str, value: str) -> list[str]:
        if column != "name":
            return list(self.index.get(column, {}).get(exact(value), []))
        # two people may have one name, in either order of its words; Canvas writes names as one word, family name first
        words = _words(value)
        fitting = [owner for owner, name in self.names.items() if _fits(words, _words(name))]
        return fitting or list(self.index.get(column, {}).get(exact(value), []))


def parts_of(text: str) -> list[str]:
    """The entries of a column that holds several, parted by semicolons."""
    return [one for one in (part.strip() for part in text.split(";")) if one]


def entry_for(text: str, assignment: str) -> str:
    """What a list of entries says of an assignment: its own one (``NAME=...``), else that for all."""
    found = ""
    for part in parts_of(text):
        name, equals, value = part.partition("=")
        if not equals:
            found = found or part
        elif name.strip() == assignment:
            return value.strip()
    return found


def _is_number(column: str, value: str) -> bool:
    if column != MOODLE:
        return is_number(value)
    return all(is_number(part.rpartition("=")[2].strip()) for part in parts_of(value))


@lru_cache(maxsize=10_000)  # each folder of a class is compared with every name of the list
def _words(name: str) -> list[str]:
    """The words of a name without punctuation: ``Lee, Bo`` as lee and bo."""
    return [word for word in map(bare, name.replace(",", " ").split()) if word]


def _fits(said: list[str], listed: list[str]) -> bool:
    """Whether a name is one of the class list, turned to another order or not: ``Jane Doe``, ``Doe, Jane``, ``doejane``."""
    orders = [listed[at:] + listed[:at] for at in range(len(listed))]
    return said in ([*orders, *(["".join(order)] for order in orders)] if len(said) == 1 else orders)


def _require_spelling(path: Path, unused: Sequence[str], lacking: Sequence[str]) -> None:
    """Raise CourseError for a heading that reads like a missing column: its extensions or numbers would be lost."""
    for head in unused:
        if meant := get_close_matches(head, lacking, n=1, cutoff=0.8):
            raise CourseError(
                f"{path}: the column {shown(head)!r} is not known; write {meant[0]!r} if that is meant, or leave the column out; "
                f"known are {', '.join(COLUMNS)}"
            )


def read_roster(path: Path) -> Roster:
    """A class list from a CSV file with at least the column ``id``.

    Raises:
        CourseError: unreadable, no column ``id`` or one column twice, an id that is not safe in file names, a value twice.
    """
    names: dict[str, str] = {}
    index: dict[str, dict[str, list[str]]] = {}
    looks: dict[str, str] = {}
    rows: dict[str, dict[str, str]] = {}
    lines = read_lines(path, "the class list")
    if "id" not in lines.heads or len(set(lines.heads)) < len(lines.heads):
        raise CourseError(f"{path}: the first line must name the columns, id among them: {','.join(COLUMNS)}")
    unused = tuple(head for head in lines.heads if head not in COLUMNS and head)
    _require_spelling(path, unused, [column for column in COLUMNS if column not in lines.heads])
    for line, values in lines.rows:
        row = {key: value for key, value in values.items() if key in COLUMNS}
        if not any(row.values()):
            continue
        one = row.get("id", "")
        if not one or one != student_id(one):
            raise CourseError(f"{path}, line {line}: the id {shown(one)!r} may hold letters, digits and . _ @ + - only")
        if look(one) in looks:
            how = "is there twice" if looks[look(one)] == one else f"looks like {looks[look(one)]}, another one"
            raise CourseError(f"{path}, line {line}: the id {one} {how}; change one of them")
        looks[look(one)], names[one], rows[one] = one, row.get("name", ""), row
        for column in (key for key in row if row[key]):
            if column in NUMBERS and not _is_number(column, row[column]):
                raise CourseError(
                    f"{path}, line {line}: the {column} {shown(row[column])} is no number as the platform writes it; a "
                    "spreadsheet may have changed it, so give that column the format of text"
                )
            owners = index.setdefault(column, {}).setdefault(exact(row[column]), [])
            if owners and column in UNIQUE:
                raise CourseError(f"{path}, line {line}: the {column} {shown(row[column])} is {owners[0]}'s already")
            owners.append(one)
    if not names:
        raise CourseError(f"{path}: no students in it; a line for each, under the heading id,name,email")
    return Roster(path, names, index, rows, unused)
