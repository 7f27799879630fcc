"""Attacks on the instructor's desk: spreadsheets, the terminal, pages that never end, backups, and files of the platforms.

Nothing here needs a sandbox to be run. Each control is the same without our measure: text written as it is, names that are
believed, Markdown shown by the library as it comes.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import io
import json
import os
import re
import resource
import unicodedata
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from autograder.grading import backup
from autograder.intake.discover import Found, survey, take_in
from autograder.intake.rebuild import MAX_CODE, MAX_CODE_CELL, source_of
from autograder.pages.prose import prose_html
from autograder.reports.exports import FORMATS, Table, csv_text
from autograder.reports.handback import pack
from autograder.reports.lms import fill
from autograder.reports.roll import Roll, Row, StudentRow
from course_utils.errors import CourseError
from tests.attacks import grading, toy
from tests.attacks.record import Attack, Trace, Wall
from tests.autograder.tiny_course import FakeRelease, solved, taken

# ---------------------------------------------------------------- formulas

FORMULAS = {
    "a formula": "=cmd|'/c calc'!A1",
    "a formula by a plus": "+cmd|'/c calc'!A1",
    "an equals sign of full width": "＝cmd|'/c calc'!A1",
    "an at sign of full width": "＠SUM(A1)",
    "a formula behind blanks": "  =HYPERLINK(A1)",
    "a formula behind a character without width": "\u200b=HYPERLINK(A1)",
    "a formula behind a semicolon": "Ann;=HYPERLINK(A1)",
    "a formula behind a closing quotation mark": 'Ann";=HYPERLINK(A1);"',
    "a formula in a second line": "Ann\n=HYPERLINK(A1)",
    "a formula behind a tab": "Ann\t-HYPERLINK(A1)",
}


def formulas(text: str) -> int:
    """How many cells a spreadsheet would compute, in countries of commas, of semicolons and of tabs."""
    found = 0
    for delimiter in ",;\t":
        rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter)
        with contextlib.suppress(csv.Error):
            for value in (line for row in rows for one in row for line in one.split("\n")):
                bare = unicodedata.normalize("NFKC", value).strip(' \t\r\v\f"\u200b\u2060\ufeff')
                found += bool(re.match(r"[=+\-@](?!\d*[.,]?\d*$)", bare))
    return found


def strike_formula(folder: Path, wall: Wall, name: str) -> Trace:
    """Formulas in any of our exports, wherever the text may come from."""
    rows = [Row("london", "london", "✓", "passed", "passed", "1", "2", "", "", False, "")]  # type: ignore[arg-type]
    given = {"section": name, "canvas_id": "7", "moodle_id": "7"}
    one = StudentRow(name, rows, 1.0, 2.0, name=name, email=name, sid=name, given=given)
    lost = StudentRow("lost", reason=name, name=name)
    table = Table("07_knowledge", [one, lost], partial=True)
    return Trace(float(sum(formulas(make(table)) for layout, make in FORMATS.items() if layout != "json")))


def control_formula(folder: Path, name: str) -> float:
    """The same names in a table as they are."""
    return float(formulas(csv_text([["student", "name", "points"], ["x", name, "1"]])) > 0)


# ---------------------------------------------------------------- names that look like another's

UNSEEN = {
    "a Hangul filler": "ann\u1160",
    "a leading Hangul filler": "\u115fann",
    "a variation selector": "ann\ufe0f",
    "a Khmer vowel without a form": "ann\u17b5",
    "a joiner of graphemes": "ann\u034f",
    "a tag character": "ann\U000e0061",
    "an empty Braille cell": "ann\u2800",
}


def seen_as(name: str) -> str:
    """What a person sees of a name."""
    unseen = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\ufe00-\ufe0f\U000e0000-\U000e0fff]")
    return unseen.sub("", name).strip()


def strike_name(folder: Path, wall: Wall, name: str) -> Trace:
    """Whether a hand-in under this name is graded as somebody who looks like ann, or as ann."""
    for one in ("ann", name):
        path = folder / f"{one}.zip"
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("00_toy.ipynb", json.dumps(toy.marked(toy.notebook(toy.WRONG))))
    found = survey(folder, "folders")
    wrong = [one for one in found.found if one.path.stem != "ann" and seen_as(one.student) in ("ann", "")]
    return Trace(float(len(wrong)), len(found.found) + len(found.refused), 2, bool(found.refused))


def control_name(folder: Path, name: str) -> float:
    """Whether an id made of word characters, as usual, looks like ann's and is another."""
    plain = re.sub(r"[^\w.@+-]+", "_", unicodedata.normalize("NFC", name)).strip("._")
    return float(seen_as(plain) == "ann")


# ---------------------------------------------------------------- memory and time

MEMORY, SECONDS = 80 * 2**20, 3
LONG = {
    "a cell of two hundred thousand names": "a\n" * 200_000,
    "a cell of three hundred thousand numbers": "x = [" + "0," * 300_000 + "]",
    "many cells of many names": "b\n" * 40_000,
}
SLOW = {
    "a C listing of line ends": "```c\n" + "\t\n" * 30_000 + "\n```",
    "an AutoHotkey listing of line ends": "```autohotkey\n" + "\t\n" * 30_000 + "\n```",
    "a desktop file of one letter": "~~~desktop\n" + "a" * 60_000 + "\n~~~",
    "an AspectJ listing of words": "> ```aspectj\n> " + "a " * 30_000 + "\n> ```",
    "a run of blanks": "a" + " " * 90_000 + "b",
    "ten thousand beginnings of a formula": "\\begin{a}" * 11_000,
}  # fmt: skip


def in_a_fork(action: Callable[[], object], *, memory: int = 0) -> bool:
    """Whether the action takes more than ``SECONDS`` of processor time, or grows by more than ``memory`` bytes."""
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (40, 41) if memory else (SECONDS, SECONDS + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            with contextlib.suppress(CourseError, SyntaxError):
                action()
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
            os._exit(1 if memory and grown > memory else 0)
        except BaseException:
            os._exit(2)
    return os.waitpid(child, 0)[1] != 0


def strike_long(folder: Path, wall: Wall, text: str) -> Trace:
    """Memory that intake takes for a notebook with this code."""
    answers = dict(toy.WRONG) | {"mean": text + "\n" + toy.WRONG["mean"]}
    book = toy.marked(toy.notebook(answers))
    book["cells"] += [toy.code_cell(f"more-{k}", text) for k in range(20)]
    folder.mkdir(parents=True)
    (folder / "eve.ipynb").write_text(json.dumps(book))
    found = Found("eve", folder / "eve.ipynb")
    return Trace(float(in_a_fork(lambda: take_in(found, "00_toy", toy.skeleton(), folder / "dest"), memory=MEMORY)))


def control_long(folder: Path, text: str) -> float:
    """Memory of the syntax trees of these cells."""
    cells = [text] * (1 if len(text) > MAX_CODE_CELL else 1 + MAX_CODE // len(text))
    return float(in_a_fork(lambda: [ast.parse(cell) for cell in cells], memory=MEMORY))


def strike_slow(folder: Path, wall: Wall, text: str) -> Trace:
    """Time for the answer in the feedback page, and in the page of nbconvert that the formgrader shows."""
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    intake = taken(FakeRelease(folder), folder, "eve", solved(why=text))
    answer = next(source_of(cell) for cell in intake.notebook["cells"] if cell["id"] == "written-why")
    return Trace(float(in_a_fork(lambda: (prose_html(text), prose_html(answer), markdown2html_mistune(answer)))))


def control_slow(folder: Path, text: str) -> float:
    """Time for the text as it was handed in."""
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    return float(in_a_fork(lambda: markdown2html_mistune(text)))


# ---------------------------------------------------------------- backups and other zips

GOOD = b"x"
BACKUPS: dict[str, Mapping[str, bytes]] = {
    "a part above the release": {"../escaped": GOOD},
    "a part with an absolute path": {"{folder}/escaped": GOOD},
    "a part above the release by backslashes": {"..\\escaped": GOOD},
    "a part that climbs out of a folder": {"instructor/../../escaped": GOOD},
}
HUGE = {"parts that say they are larger than the disk": 2**46, "one that unpacks to a gigabyte for a megabyte": 2**30}


def forged(folder: Path, parts: Mapping[str, bytes], size: int = 0) -> Path:
    """A backup that agrees with its own list of hashes."""
    folder.mkdir(parents=True)
    path, hashes = folder / "term.zip", {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            place = name.replace("{folder}", str(folder))
            archive.writestr(zipfile.ZipInfo(place), data)
            hashes[place] = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
        about = {"format": 1, "release": "r1", "made": "", "entries": 0, "head": "", "files": hashes}
        archive.writestr("backup.json", json.dumps(about))
        for info in archive.infolist() if size else ():
            info.file_size = size  # only the directory at the end says so
    return path


def strike_backup(folder: Path, wall: Wall, parts: Mapping[str, bytes], size: int = 0) -> Trace:
    """Whether restoring writes outside of the folder, or begins to unpack what has no room."""
    path = forged(folder, parts, size)
    refused = False
    try:
        backup.restore(path, folder / "new" / "release", progress=False)
    except CourseError as error:
        refused = not size or "unpacks to" in str(error) or "not a backup" in str(error)
    written = list(folder.rglob("escaped")) or (folder.parent / "escaped").exists()
    return Trace(float(bool(written) or not refused))


def control_backup(folder: Path, parts: Mapping[str, bytes], size: int = 0) -> float:
    """An unpacker that believes names, or sizes."""
    path = forged(folder, parts, size)
    with zipfile.ZipFile(path) as archive:
        if size:
            return float(sum(info.file_size for info in archive.infolist()) >= size)
        for info in archive.infolist():
            place = folder / "new" / "release" / info.filename.replace("\\", "/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(archive.read(info))
    return float(any(not one.is_relative_to(folder / "new" / "release") for one in folder.rglob("escaped")))


ESCAPES = {
    "a file name that sets the terminal's title": "x\x1b]0;all passed\x07.txt",
    "a file name that clears the screen": "x\x1b[2J.txt",
    "a file name that writes over the line": "x\rall fine.txt",
    "a file name that turns the line round": "x\u202etxt.gpj",
    "a file name by eight-bit controls": "x\x9b31m.txt",
}


def strike_escape(folder: Path, wall: Wall, name: str) -> Trace:
    """Whether a sentence about the hand-in holds what a terminal obeys."""
    folder.mkdir(parents=True)
    told = []
    for number, kind in enumerate((0o100644, 0o120777)):  # a doubled file, and a link
        path = folder / f"eve{number}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("00_toy.ipynb", json.dumps(toy.marked(toy.notebook(toy.WRONG))))
            for spelling in (name, name.upper()):
                info = zipfile.ZipInfo(spelling)
                info.external_attr = kind << 16
                archive.writestr(info, b"x")
        try:
            told += take_in(Found("eve", path), "00_toy", toy.skeleton(), folder / f"dest{number}").notes
        except CourseError as error:
            told.append(str(error))
    return Trace(float(any(not char.isprintable() for text in told for char in text)))


def control_escape(folder: Path, name: str) -> float:
    """The name in a sentence as it is."""
    return float(any(not char.isprintable() for char in f"{name} is in the archive twice"))


PLACES = {
    "a page above the folder": "../../evil",
    "a page under another student's place": "Ann Lee_11_assignfeedback_file_/../x",
    "a page with a drive's letter": "C:\\Windows\\evil",
}


def handed_back(name: str) -> list[str]:
    """Names in the zip of feedback for Moodle, of a student with this name."""
    folder = Path(os.devnull)
    return [f"{name}_7_assignfeedback_file_/{folder.name}.html"]


def strike_place(folder: Path, wall: Wall, name: str) -> Trace:
    """Whether our zip has a name that leaves the folder into which it is unpacked, or another person's."""
    folder.mkdir(parents=True)
    page = folder / "eve.html"
    page.write_text("<p>page</p>")
    rows = [Row("london", "london", "✓", "passed", "passed", "1", "2", "", "", False, "")]  # type: ignore[arg-type]
    eve = StudentRow("eve", rows, 1.0, 2.0, name=name, given={"moodle_id": "7"})
    pack(Roll([eve], [], listed=True), "07_knowledge", "moodle", {"eve": page}, folder / "out.zip")
    return Trace(float(_leaves(zipfile.ZipFile(folder / "out.zip").namelist())))


def _leaves(names: Sequence[str]) -> bool:
    """Whether any of these would be unpacked elsewhere, or is not that of number 7."""
    parts = [name.replace("\\", "/").split("/") for name in names]
    return any(".." in one or len(one) > 2 or ":" in one[0] or "_7_assignfeedback_file_" not in one[0] for one in parts)


def control_place(folder: Path, name: str) -> float:
    """The name as it is."""
    return float(_leaves(handed_back(name)))


# ---------------------------------------------------------------- the platform's own file

SHEETS = {
    "a full name that is another's": {"name": "Ann Lee"},
    "an id that is another's number": {"name": "11"},
    "an id that is another's address": {"name": "ann@x.org"},
}


def sheet(folder: Path) -> Path:
    """A worksheet of Moodle with one line, Ann's."""
    folder.mkdir(parents=True)
    path = folder / "sheet.csv"
    path.write_text(csv_text([
        ["Identifier", "Full name", "Email address", "Grade", "Maximum Grade", "Last modified (grade)"],
        ["Participant 11", "Ann Lee", "ann@x.org", "", "2.00", "-"],
    ]))  # fmt: skip
    return path


def strike_line(folder: Path, wall: Wall, name: str) -> Trace:
    """Whether Eve's grade is entered into Ann's line, when Eve calls herself so."""
    rows = [Row("london", "london", "✓", "passed", "passed", "2", "2", "", "", False, "")]  # type: ignore[arg-type]
    eve = StudentRow(name, rows, 2.0, 2.0, name=name, given={"moodle_id": "66"})
    try:
        return Trace(float(len(fill(Table("07_knowledge", [eve]), "moodle", sheet(folder)).filled)))
    except CourseError:
        return Trace(0.0)


def control_line(folder: Path, name: str) -> float:
    """A filler that takes any cell of a line for a name."""
    rows = csv.reader(sheet(folder).open(encoding="utf-8"))
    return float(any(name in (*row, row[0].split()[-1]) for row in rows))


# ---------------------------------------------------------------- files beside the notebook

SHADOWS = {
    "a course_utils of the student's own": (
        {
            "course_utils/__init__.py": b"",
            "course_utils/checks/__init__.py": b"",
            "course_utils/checks/selfcheck.py": b"import contextlib\nfrom unittest.mock import MagicMock\n"
            b"@contextlib.contextmanager\ndef check(name, **more):\n    yield MagicMock()\nstudent = MagicMock()\n",
        },
        "course",
    ),
    "a statistics module of the student's own": (
        {"statistics.py": b"class Any:\n    __eq__ = lambda self, other: True\nfmean = mean = lambda values: Any()\n"},
        "imports",
    ),
}

ATTACKS = [
    *(Attack(name, "formulas in exports", "script", partial(strike_formula, name=text), partial(control_formula, name=text),
             layers=()) for name, text in FORMULAS.items()),
    *(Attack(name, "unseen names", "identity", partial(strike_name, name=text), partial(control_name, name=text), layers=())
      for name, text in UNSEEN.items()),
    *(Attack(name, "notebooks that fill memory", "host", partial(strike_long, text=text), partial(control_long, text=text),
             slow=True, layers=()) for name, text in LONG.items()),
    *(Attack(name, "pages that never end", "host", partial(strike_slow, text=text), partial(control_slow, text=text),
             slow=True, layers=()) for name, text in SLOW.items()),
    *(Attack(name, "forged backups", "host", partial(strike_backup, parts=parts), partial(control_backup, parts=parts),
             layers=()) for name, parts in BACKUPS.items()),
    *(Attack(name, "forged backups", "host", partial(strike_backup, parts={"release.json": GOOD}, size=size),
             partial(control_backup, parts={"release.json": GOOD}, size=size), layers=()) for name, size in HUGE.items()),
    *(Attack(name, "names in a terminal", "script", partial(strike_escape, name=text), partial(control_escape, name=text),
             layers=()) for name, text in ESCAPES.items()),
    *(Attack(name, "names in feedback zips", "host", partial(strike_place, name=text), partial(control_place, name=text),
             layers=()) for name, text in PLACES.items()),
    *(Attack(name, "another's line of a sheet", "identity", partial(strike_line, **given), partial(control_line, **given),
             layers=()) for name, given in SHEETS.items()),
    *(grading.attack("files beside the notebook", grading.Cheat(name, files=files, style=style))
      for name, (files, style) in SHADOWS.items()),
]  # fmt: skip
