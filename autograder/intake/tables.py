"""Tables that an instructor gives as CSV: read strictly, since a quotation mark that is missing swallows whole lines."""

from __future__ import annotations

import codecs
import csv
import io
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from course_utils.errors import CourseError

MAX_BYTES = 10 * 2**20
BREAKS = frozenset("\r\n\0")


@dataclass(frozen=True)
class Lines:
    """A table.

    Attributes:
        heads: headings in lower case, without blanks around them.
        rows: number of each line in the file, and its values by heading, without blanks around them.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[int, dict[str, str]], ...]


SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")


def require_text(path: Path) -> None:
    """Raise CourseError for a file that is not there, or that a spreadsheet has in a form of its own."""
    if not path.exists():
        raise CourseError(f"there is no file {path}")
    if path.is_dir():
        raise CourseError(f"{path}: is a folder; give the CSV file in it")
    with path.open("rb") as file:
        packed = file.read(4) in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
    if packed or path.suffix.lower() in SPREADSHEETS:
        raise CourseError(f"{path}: is a spreadsheet's own file; save it as CSV (UTF-8) and give that")


def decoded(path: Path) -> tuple[str, str]:
    """The text of a file, and how it was written: UTF-8 with or without a mark at its beginning, or UTF-16 with one.

    Raises:
        CourseError: another encoding, as spreadsheets use it for a plain CSV.
        OSError: the file cannot be read.
    """
    data = path.read_bytes()
    code = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    if code == "utf-8" and data.startswith(codecs.BOM_UTF8):
        code = "utf-8-sig"
    with suppress(UnicodeDecodeError):
        text = data.decode(code)
        if "\0" not in text:  # which UTF-16 without a mark, and UTF-32, are full of
            return text, code
    raise CourseError(
        f'{path}: its letters are not in UTF-8; open it in the spreadsheet and save it as "CSV UTF-8", then give that file'
    )


HINT = re.compile(r'"?sep=([,;\t])"?[ \t]*(?:\r\n|\r|\n|$)', re.I)


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends, as the csv module counts them.

    ``splitlines()`` would end a line at U+2028 and the like, which people can have in their names.
    """
    return list(io.StringIO(text, newline=""))


def separated(text: str) -> tuple[str, str]:
    """What separates the cells of a table, and the table.

    A first line ``sep=;``, as spreadsheets write it, names it and is left out; else it is the most frequent of comma,
    semicolon and tab in the first line.
    """
    if found := HINT.match(text):
        return found[1], text[len(found[0]) :]
    first = next(iter(lines_of(text)), "")
    return max(",;\t", key=first.count), text


def read_lines(path: Path, what: str) -> Lines:
    """The lines of a CSV file with commas, semicolons or tabs; empty lines are left out.

    Args:
        what: what the file is, in sentences.

    Raises:
        CourseError: unreadable, quotation marks that do not fit, a value over several lines, or more values than columns.
    """
    try:
        require_text(path)
        if path.stat().st_size > MAX_BYTES:
            raise CourseError(f"{path}: larger than {what} can be; give a CSV file with one line for each student")
        whole, _ = decoded(path)
        separator, text = separated(whole)
        above = int(text != whole)  # lines
        reader = csv.reader(lines_of(text), delimiter=separator, strict=True)
        heads = tuple(head.strip().lower() for head in next(reader, []))
        rows = ((reader.line_num + above, row) for row in reader if any(row))
        found = tuple((line, _values(path, line, heads, row)) for line, row in rows)
    except OSError as error:
        words = f"{path}: {what} cannot be read ({error.strerror}); give another path, or make it readable"
        raise CourseError(words) from error
    except csv.Error as error:
        raise CourseError(f"{path}, line {reader.line_num + above}: {error}; mend its quotation marks") from error
    return Lines(heads, found)


def _values(path: Path, line: int, heads: tuple[str, ...], row: list[str]) -> dict[str, str]:
    if len(row) > len(heads):
        raise CourseError(f"{path}, line {line}: more values than columns; put quotes around commas")
    if any(BREAKS & set(value) for value in row):
        raise CourseError(f"{path}, line {line}: a value goes over several lines; is a quotation mark missing?")
    return {head: value.strip() for head, value in zip(heads, [*row, *[""] * (len(heads) - len(row))], strict=True)}
