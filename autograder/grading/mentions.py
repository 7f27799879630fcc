"""Files that still name a person: looked through by field where they are tables or JSON, as texts, and inside zips."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from autograder.grading.begun import RECORD
from autograder.grading.person import Person, turned
from autograder.grading.words import Words, folded, unescaped
from autograder.intake.names import exact
from autograder.intake.tables import separated

UNREAD = ("source", "release")  # what everybody is given
MOST = 64 * 2**20  # bytes of a file in which words are looked for
DEPTH = 3  # zips in zips
SQLITE = b"SQLite format 3\0"
ZIP = b"PK\x03\x04"
PACKED = (
    tuple(  # gzip, bzip2, xz, 7z, rar, zstd, compress, PDF, old Office: their texts are not readable as they lie there
        bytes.fromhex(head)
        for head in ("1f8b", "425a68", "fd377a585a", "377abcaf", "52617221", "28b52ffd", "1f9d", "25504446", "d0cf11e0")
    )
)
WHOSE = {
    "student",
    "student_id",
    "into",
    "came_as",
    "ids",
    "username",
    "login",
    "user",
    "students",
    "missing",
    "left",
    "absent",
}
ID_HEAD = re.compile(r"(^|[^a-z])(id|student|user|username|login|sid|e-?mail)([^a-z]|$)")
NAME_HEAD = re.compile(r"name|student")
# what zipfile raises: damaged, packed by an unknown method, locked by a password, cut off
DAMAGED = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)
OWN, MAYBE, NOT_READ = "own", "maybe", "unread"


@dataclass
class Mentions:
    """Where a person is named.

    Attributes:
        own: files whose name or text is surely about the person.
        maybe: files in which only a common word stands that the person has for an id or a name.
        common: those words.
        unread: files that could not be looked through.
    """

    own: list[str] = field(default_factory=list)
    maybe: list[str] = field(default_factory=list)
    common: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def mentions(person: Person, roots: Sequence[Path], more: Sequence[Path] = ()) -> Mentions:
    """What still names a person below folders.

    Args:
        roots: the folders.
        more: single files beside them.
    """
    finder, found = Finder(person), Mentions()
    found.common = finder.words.common_words
    pairs = [(path, path.relative_to(root).parts) for root in roots for path in sorted(root.rglob("*"))]
    for path, parts in [*pairs, *((one, (one.name,)) for one in more)]:
        if parts[0] in UNREAD or path.name == RECORD or (path.is_dir() and not path.is_symlink()):
            continue
        said = finder.path(parts)
        try:
            said |= finder.read(path) if path.is_file() and not path.is_symlink() else set()
        except (OSError, ValueError, *DAMAGED):
            found.unread.append(str(path))
        if NOT_READ in said:
            found.unread.append(str(path))
        (found.own if OWN in said else found.maybe if MAYBE in said else []).append(str(path))
    return found


class Finder:
    """Looks for one person; every method says ``own``, ``maybe`` or an empty string, or the set of these."""

    def __init__(self, person: Person) -> None:
        self.person, self.words = person, Words(person)
        theirs = {number for _, number, _ in person.others.numbers}
        numbers = (number for _, number, assignment in person.numbers if not assignment and number not in theirs)
        self.ids = {folded(one) for one in (*person.ids, *person.mails, *numbers)}
        self._names: dict[str, str] = {}
        self.few = {folded(one) for one in (*person.ids, *person.mails)}

    def path(self, parts: Sequence[str]) -> set[str]:
        """What the names on a way to a file say. Below a folder of somebody else, a file with a common name is that person's."""
        others = any(exact(part) in self.person.others.ids for part in parts)
        said = {self._named(part) for part in parts}
        return {MAYBE} if others and OWN in said and not any(self.words.own_in(part) for part in parts) else said

    def _named(self, name: str) -> str:
        if name not in self._names:
            own = self.person.owns(name) or self.person.owns(PurePosixPath(name).stem)
            self._names[name] = OWN if own else self.text(name)
        return self._names[name]

    def text(self, text: str) -> str:
        """What a text says."""
        return self._plain(unescaped(text))

    def _plain(self, plain: str) -> str:
        if self.words.own.search(plain):
            return OWN
        return MAYBE if self.words.common.search(plain) else ""

    def read(self, path: Path) -> set[str]:
        """What a file says. Raises OSError, or what zips raise that cannot be read."""
        if path.stat().st_size > MOST:
            raise ValueError(f"{path}: too large")
        data = path.read_bytes()
        if data.startswith(SQLITE):
            with suppress(sqlite3.Error):
                return set(self._database(path))
        return self.data(path.name, data)

    def data(self, name: str, data: bytes, depth: int = 0) -> set[str]:
        """What bytes say, by their form; also :data:`NOT_READ` where part of them has a form that is not looked through."""
        if data.startswith(ZIP) and depth < DEPTH:
            return set(self._archive(data, depth))
        if data.startswith((ZIP, *PACKED)):
            return {NOT_READ}
        said: set[str] = set()
        for number, text in enumerate(decoded_all(data)):
            plain = unescaped(text)
            if self.words.near(plain):
                found = self._plain(plain)
                said.add(found)
                if number == 0 and found != OWN:
                    said |= self._fields(name, text, found)
            if data.startswith(SQLITE):  # damaged: names stand there without anything between them
                said.add(self._squeezed(plain))
        return said

    def _fields(self, name: str, text: str, found: str) -> set[str]:
        if ".csv" in name.lower() or ".tsv" in name.lower():
            return {self._table(text)}  # the words of a name may stand in cells apart
        if not found or text.lstrip()[:1] not in ("{", "["):
            return set()
        return {OWN for one in documents(text) if self._field(one)}

    def _archive(self, data: bytes, depth: int) -> Iterator[str]:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for one in archive.infolist():
                yield from self.path(PurePosixPath(one.filename).parts)
                if one.file_size > MOST:
                    yield NOT_READ
                elif not one.is_dir():
                    yield from self.data(one.filename, archive.read(one), depth + 1)

    def _database(self, path: Path) -> Iterator[str]:
        # SQLite would leave files beside a database of which nobody writes now
        alone = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{alone}", uri=True, timeout=2.0)) as base:
            for (table,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                rows = base.execute('SELECT * FROM "{}"'.format(table.replace('"', '""')))
                heads = [head[0] for head in rows.description]
                for row in rows:
                    cells = ["" if one is None else str(one) for one in row]
                    if self._line(
                        [head if head != "name" else "" for head in heads], cells
                    ):  # of cells and assignments
                        yield OWN
                    yield self.text("\n".join(cells))

    def _squeezed(self, text: str) -> str:
        words = [word for word in (*self.person.mails, *self.person.ids) if len(word) > 3]
        words += [part for name in self.person.names for part in name.split() if len(part) > 3]
        return MAYBE if any(folded(word) in text for word in words) else ""

    def _table(self, text: str) -> str:
        """A table whose column of ids, addresses or names has the person in one of its cells."""
        separator, text = separated(text)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        with suppress(csv.Error):
            heads = next(reader, [])
            return OWN if any(self._line(heads, row) for row in reader) else ""
        return ""

    def _line(self, heads: Sequence[str], cells: Sequence[str]) -> bool:
        pairs = [(folded(head.strip()), cell.strip()) for head, cell in zip(heads, cells, strict=False) if cell.strip()]
        names = [cell for head, cell in pairs if NAME_HEAD.search(head)]
        ids = [cell for head, cell in pairs if ID_HEAD.search(head)]
        whole = [
            *(one for one in names if len(turned(one)) > 1 or len(names) == 1),
            " ".join(names),
            " ".join(names[::-1]),
        ]
        return any(self._is(one, self.ids) for one in ids) or any(map(self.person.has_name, whole))

    def _is(self, value: str, mine: Collection[str]) -> bool:
        """Whether a value is one of the person's, and no id of somebody else that differs in capitals alone."""
        return folded(value) in mine and value not in self.person.others.ids

    def _field(self, value: Any) -> bool:
        """Whether JSON has the person where it says whose something is."""
        if isinstance(value, Mapping):
            return any(self._whose(str(key), one) or self._field(one) for key, one in value.items())
        return isinstance(value, list) and any(map(self._field, value))

    def _whose(self, key: str, value: Any) -> bool:
        if key == "item":
            return isinstance(value, str) and self.person.owns(value)
        said = value if isinstance(value, list) else [value]
        return key in WHOSE and any(isinstance(one, str) and self._is(one, self.few) for one in said)


def documents(text: str) -> Iterator[Any]:
    """The JSON in a text: one document, or one in each line."""
    try:
        yield json.loads(text)
    except (ValueError, RecursionError):
        for line in text.splitlines():
            with suppress(ValueError, RecursionError):
                yield json.loads(line)


def decoded_all(data: bytes) -> list[str]:
    """A file's text, in each way in which it may be written: UTF-8, UTF-16 with or without its mark, else Windows' letters."""
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return [data.decode("utf-32", "replace")]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return [data.decode("utf-16", "replace")]
    sample = data[:4096]
    for code, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if len(zeros) > 3 and zeros.count(0) > len(zeros) * 0.6:
            return [data.decode(code, "replace"), data.decode("utf-8", "replace")]
    try:
        return [data.decode("utf-8-sig")]
    except UnicodeDecodeError:
        return [data.decode("utf-8", "replace"), data.decode("cp1252", "replace")]
