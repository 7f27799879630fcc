"""Attacks by what a thing says it is: a pipe named like an archive, a text cell that stands where code is read, a change
that a hash does not see, lines and files that a reader of code takes hours for, tables that swallow a student, numbers
and times beyond what is computed with.

Each control is the same with the reader as it comes: the zip module, the limit by the cell's own type, the hash without
space, IPython's translator, the csv module, numpy and datetime.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import os
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from autograder.grading.similar import added_code, normal
from autograder.intake.discover import Found, Handins, survey, take_in
from autograder.intake.platforms import stamp
from autograder.intake.rebuild import MAX_CODE_CELL
from autograder.intake.rebuild import normal as without_trailing_space
from autograder.intake.roster import read_roster
from autograder.pages.colour import code_cell_html
from autograder.reports.feedback import code_html
from autograder.reports.times import read_times
from course_utils.checks.agree import close
from course_utils.checks.draws import Case
from course_utils.errors import CourseError
from tests.attacks.desk import in_a_fork
from tests.attacks.office import NAME, host
from tests.attacks.record import Attack, Trace, Wall
from tests.autograder.tiny_course import notebook, solved

# ---------------------------------------------------------------- pipes

PIPES = {"a pipe named like an archive": "eve.zip", "a pipe named like Canvas's archive": "doejane_4711_900_eve.zip"}


def stalls(action: Callable[[], object]) -> bool:
    """Whether the action is not at its end after ten seconds."""
    child = os.fork()
    if child == 0:
        import signal

        signal.alarm(10)
        try:
            action()
        except (CourseError, zipfile.BadZipFile):
            os._exit(0)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def piped(folder: Path, name: str) -> Path:
    """A class folder with a pipe of this name."""
    folder.mkdir(parents=True)
    os.mkfifo(folder / name)
    return folder


def strike_pipe(folder: Path, wall: Wall, name: str) -> Trace:
    """Whether taking in the class waits for somebody to write into the pipe."""
    place = piped(folder / "class", name)

    def take() -> None:
        handins: Handins = survey(place)
        for one in handins.found:
            take_in(one, NAME, notebook(hidden=False), folder / "dest")

    return Trace(float(stalls(take)))


def control_pipe(folder: Path, name: str) -> float:
    """The zip module on the pipe."""
    return float(stalls(lambda: zipfile.ZipFile(piped(folder / "class", name) / name)))


# ---------------------------------------------------------------- cells by what they call themselves

KINDS = ("markdown", "raw", "")


def called(kind: str) -> dict[str, Any]:
    """A hand-in whose answer calls itself so, with ten times the code that a cell may have."""
    book = solved()
    answer = next(one for one in book["cells"] if one["id"] == "answer-paris")
    answer.update(cell_type=kind, source="x = 1\n" * (10 * MAX_CODE_CELL // 7))
    return book


def strike_kind(folder: Path, wall: Wall, kind: str) -> Trace:
    """Whether so much code is taken in as the answer."""
    folder.mkdir(parents=True)
    (folder / "eve.ipynb").write_text(json.dumps(called(kind)))
    found = Found("eve", folder / "eve.ipynb")
    try:
        taken = take_in(found, NAME, notebook(hidden=False), folder / "dest").notebook["cells"]
    except CourseError:
        return Trace(0.0, flagged=True)
    return Trace(float(any(one["cell_type"] == "code" and len(one["source"]) > MAX_CODE_CELL for one in taken)))


def control_kind(folder: Path, kind: str) -> float:
    """The limit for cells that say they are code."""
    return float(
        all(len(one["source"]) <= MAX_CODE_CELL for one in called(kind)["cells"] if one["cell_type"] == "code")
    )


# ---------------------------------------------------------------- changes that are not seen

UNSEEN = {
    "a blank behind a backslash": ("x + \\ \n    1", "x + \\\n    1"),
    "a line that ends for people only": ("x # \u2028 + 1", "x # \n + 1"),
    "a form feed": ("x # \x0c + 1", "x # \n + 1"),
    "blanks inside a text": ('"""a  \n    b"""', '"""a\n    b"""'),
}


def strike_unseen(folder: Path, wall: Wall, pair: tuple[str, str]) -> Trace:
    """Whether the mended hand-in is told apart from the broken one, which decides if it is judged."""
    seen = []
    for number, text in enumerate(pair):
        place = folder / str(number)
        place.mkdir(parents=True)
        (place / "eve.ipynb").write_text(json.dumps(solved(f"return {text}")))
        taken = take_in(Found("eve", place / "eve.ipynb"), NAME, notebook(hidden=False), place / "dest")
        seen.append(taken.sha256)
    return Trace(float(seen[0] == seen[1]))


def control_unseen(folder: Path, pair: tuple[str, str]) -> float:
    """The hash without space at the ends of lines."""
    return float(len({without_trailing_space(text) for text in pair}) == 1)


# ---------------------------------------------------------------- code that is read for hours

LONG = "x = 1\n" * 20_000
READ = {
    "hundreds of lines for IPython": LONG + "a = !ls\n" * 400,
    "hundreds of questions to IPython": LONG + "x?\n" * 400,
}


def strike_read(folder: Path, wall: Wall, text: str) -> Trace:
    """Processor time of the class report for one answer."""
    return Trace(float(in_a_fork(lambda: normal(text))))


def control_read(folder: Path, text: str) -> float:
    """IPython's own translator."""
    from IPython.core.inputtransformer2 import TransformerManager

    return float(in_a_fork(lambda: TransformerManager().transform_cell(text)))


def many(folder: Path) -> Path:
    """A hand-in of 200 Python files."""
    folder.mkdir(parents=True)
    for number in range(200):
        (folder / f"{number}.py").write_text("x=1\n" * 49_000)
    return folder


def strike_many(folder: Path, wall: Wall) -> Trace:
    """Processor time of the class report for the files of one student."""
    place = many(folder / "files")
    return Trace(float(in_a_fork(lambda: added_code({}, place))))


def control_many(folder: Path) -> float:
    """All of them parsed."""
    place = many(folder / "files")
    return float(in_a_fork(lambda: [ast.parse(path.read_text()) for path in place.iterdir()]))


BLANK = {"ten thousand lines of one blank": " \n" * 9_900, "ten thousand lines of one tab": "\t\n" * 9_900}


def strike_colour(folder: Path, wall: Wall, text: str) -> Trace:
    """Processor time of the feedback page's code and of the marking page's, for one cell."""
    return Trace(float(in_a_fork(lambda: (code_html(f"x = 1\n{text}y = 1"), code_cell_html(f"x = 1\n{text}y = 1")))))


def control_colour(folder: Path, text: str) -> float:
    """Pygments on the cell as it is, below the number of characters that has colours."""
    from nbconvert.filters.highlight import Highlight2HTML

    return float(in_a_fork(lambda: Highlight2HTML(pygments_lexer="python")(f"x = 1\n{text}y = 1")))


# ---------------------------------------------------------------- tables, numbers, times

LISTS = {
    "a mark that is never closed": 'ada,"Ada\nbob,Bob\n',
    "a mark that the next line closes": 'ada,"Ada\nbob,Bob"\n',
}


def strike_list(folder: Path, wall: Wall, text: str) -> Trace:
    """Whether a student of the class list is lost in silence."""
    folder.mkdir(parents=True)
    (folder / "list.csv").write_text(f"id,name\n{text}")
    try:
        return Trace(float("bob" not in read_roster(folder / "list.csv").names))
    except CourseError:
        return Trace(0.0, flagged=True)


def control_list(folder: Path, text: str) -> float:
    """The csv module as it comes."""
    return float("bob" not in {row["id"] for row in csv.DictReader(io.StringIO(f"id,name\n{text}", newline=""))})


TIMES = {
    "the first year, east of UTC": "0001-01-01T00:00+14:00",
    "the last year, west of UTC": "9999-12-31T23:59-12:00",
}


def ended(action: Callable[[], object]) -> float:
    """1.0 if the action ends in an error of arithmetic and not in a sentence or a value."""
    try:
        action()
    except OverflowError:
        return 1.0
    except CourseError:
        return 0.0
    return 0.0


def strike_time(folder: Path, wall: Wall, text: str) -> Trace:
    """Whether a time in the instructor's file ends the command."""
    folder.mkdir(parents=True)
    (folder / "times.csv").write_text(f"id,time\nada,{text}\n")
    return Trace(ended(lambda: read_times(folder / "times.csv", None, UTC)))


def control_time(folder: Path, text: str) -> float:
    """Python's own arithmetic."""
    return ended(lambda: datetime.fromisoformat(text).astimezone(UTC))


STAMPS = {"a stamp of the first year": "0001-01-01 00:00:00 UTC", "a stamp of the last year": "9999-12-31 23:59:59 UTC"}


def strike_stamp(folder: Path, wall: Wall, text: str) -> Trace:
    """Whether the time that a student's process wrote is believed, though no course can mean it."""
    folder.mkdir(parents=True)
    (folder / "timestamp.txt").write_text(text)
    return Trace(float(stamp(folder) != ""))


def control_stamp(folder: Path, text: str) -> float:
    """Every time that has the form of one."""
    return float(bool(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", text)))


NUMBERS = {"a whole number beyond all floats": 10**400, "a negative one": -(10**400)}


def strike_number(folder: Path, wall: Wall, number: int) -> Trace:
    """Whether the answer ends the comparison, so that the check is reported as broken."""
    return Trace(ended(lambda: close(1e-6).problem(Case((1.0,)), number, 1.5)))


def control_number(folder: Path, number: int) -> float:
    """The number as numpy takes it."""
    return ended(lambda: np.float64(number))


CLAIMS = "hand-ins that are not what they say"
ATTACKS: list[Attack] = [
    *(host(name, CLAIMS, partial(strike_pipe, name=file), partial(control_pipe, name=file)) for name, file in PIPES.items()),
    *(
        host(f"an answer of a million characters that calls itself {kind or 'nothing'}", CLAIMS,
             partial(strike_kind, kind=kind), partial(control_kind, kind=kind))
        for kind in KINDS
    ),
    *(
        Attack(f"a mended answer that looks unchanged: {name}", CLAIMS, "identity", partial(strike_unseen, pair=pair),
               partial(control_unseen, pair=pair), layers=())
        for name, pair in UNSEEN.items()
    ),
    *(
        host(name, CLAIMS, partial(strike_read, text=text), partial(control_read, text=text), slow=True)
        for name, text in READ.items()
    ),
    host("two hundred long Python files", CLAIMS, strike_many, control_many, slow=True),
    *(
        host(name, CLAIMS, partial(strike_colour, text=text), partial(control_colour, text=text), slow=True)
        for name, text in BLANK.items()
    ),
    *(
        host(f"a class list with {name}", CLAIMS, partial(strike_list, text=text), partial(control_list, text=text))
        for name, text in LISTS.items()
    ),
    *(host(name, CLAIMS, partial(strike_time, text=text), partial(control_time, text=text)) for name, text in TIMES.items()),
    *(
        Attack(name, CLAIMS, "identity", partial(strike_stamp, text=text), partial(control_stamp, text=text), layers=())
        for name, text in STAMPS.items()
    ),
    *(
        host(name, CLAIMS, partial(strike_number, number=number), partial(control_number, number=number))
        for name, number in NUMBERS.items()
    ),
]  # fmt: skip
