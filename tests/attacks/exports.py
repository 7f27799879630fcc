"""Attacks by one student on the export of a whole class. Each control is the same read without our bounds."""

from __future__ import annotations

import io
import json
import zipfile
from functools import partial
from pathlib import Path

from autograder.intake.archive import CLASS_LIMITS, Meter
from autograder.intake.discover import survey
from course_utils.errors import CourseError
from tests.attacks import toy
from tests.attacks.record import Attack, Trace, Wall

BOOK = json.dumps(toy.marked(toy.notebook(toy.WRONG)))
PLACES = {  # how platforms lay out a class, with the places of an honest student and of the one who attacks
    "many files in a Gradescope folder": ("", "submission_1", "submission_2"),
    "many files below the folder of a Gradescope export": ("assignment_5_export/", "submission_1", "submission_2"),
    "many files in a Moodle folder": ("", "Ann_12_assignsubmission_file", "Eve_14_assignsubmission_file"),
}
COUNT = CLASS_LIMITS.files + 1


def packed(folder: Path, top: str, honest: str, eve: str) -> Path:
    """The zip of a class of two; one of them packed more files than a class may have."""
    folder.mkdir(parents=True, exist_ok=True)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for who in (honest, eve):
            archive.writestr(f"{top}{who}/00_toy.ipynb", BOOK)
        for number in range(COUNT):
            archive.writestr(f"{top}{eve}/{number}", b"")
    (folder / "class.zip").write_bytes(out.getvalue())
    return folder / "class.zip"


def lost(path: Path, honest: str) -> bool:
    """Whether the honest student's hand-in is not found."""
    try:
        return honest not in {one.path.name for one in survey(path).found}
    except CourseError:
        return True


def strike(folder: Path, wall: Wall, top: str, honest: str, eve: str) -> Trace:
    """Keep the class from being graded."""
    return Trace(float(lost(packed(folder, top, honest, eve), honest)))


def control(folder: Path, top: str, honest: str, eve: str) -> float:
    """The same where the files of all students are counted together."""
    with zipfile.ZipFile(packed(folder, top, honest, eve)) as archive:
        meter = Meter("class.zip", CLASS_LIMITS)
        try:
            for one in archive.infolist():
                meter.open(one.filename, one.file_size)
        except CourseError:
            return 1.0
    return 0.0


ATTACKS = [
    Attack(name, "a class that is not read", "host", partial(strike, top=top, honest=honest, eve=eve),
           partial(control, top=top, honest=honest, eve=eve), layers=(), slow=True)
    for name, (top, honest, eve) in PLACES.items()
]  # fmt: skip
