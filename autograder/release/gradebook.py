"""A course's gradebook made from its source notebooks: by the release, and again when it was lost."""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from nbgrader.apps.api import NbGraderAPI
from traitlets.config import Config

from autograder.release.nbgrader_db import configure_course, prepare, quiet_nbgrader
from autograder.release.read import read_json
from course_utils.errors import CourseError

ROOT = Path(__file__).resolve().parents[2]
AUTOGRADER = re.compile(r"(?m)^sys\.path\.insert\(0, [^\n)]*\)")


def sources(course: Path) -> list[str]:
    """Assignments of a course, by its source notebooks."""
    return sorted(path.stem for path in (course / "source").glob("*/*.ipynb") if path.stem == path.parent.name)


def enter_source(course: Path, name: str) -> None:
    """Enter the source notebook of an assignment in the course's gradebook. Raises CourseError if nbgrader refuses it."""
    config = Config()
    configure_course(config, course)
    prepare()
    logging.getLogger("alembic").setLevel(logging.WARNING)
    done = NbGraderAPI(config=config).generate_assignment(name)
    if not done["success"]:
        reason = (done.get("error") or done.get("log") or "no reason given").strip().splitlines()[-1]
        raise CourseError(f"{course / 'source' / name}: nbgrader refuses this notebook ({reason})")


def whole(course: Path) -> bool:
    """Whether the gradebook is a database that knows every assignment of the course."""
    path = course / "gradebook.db"
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as book:
            names = {name for (name,) in book.execute("SELECT name FROM assignment")}
    except sqlite3.OperationalError as error:
        return "no such table" not in str(error)  # one that another program holds is no lost one
    except sqlite3.DatabaseError:
        return False
    return set(sources(course)) <= names


def _require_sources(course: Path, names: Sequence[str]) -> None:
    """Checks come from these notebooks, so they must be those of the release."""
    record = course.parent / "release.json"
    hashes = read_json(record).get("hashes", {}) if record.exists() else {}
    for name in names:
        part = f"source/{name}/{name}.ipynb"
        expected = hashes.get(f"{course.name}/{part}", "")
        if hashes and expected != hashlib.sha256((course / part).read_bytes()).hexdigest():
            raise CourseError(f"{course / part}: was changed after the release was made; restore it from a backup")


def make_again(course: Path) -> None:
    """Make a lost gradebook again, without submissions; what is left of it is kept as ``gradebook.db.damaged``.

    Raises:
        CourseError: no source notebook, a changed one, or one that nbgrader refuses; then everything is as before.
    """
    names, book = sources(course), course / "gradebook.db"
    if not names:
        raise CourseError(f"{course / 'source'}: no notebooks, so the gradebook cannot be made; restore a backup")
    _require_sources(course, names)
    with tempfile.TemporaryDirectory(prefix=".gradebook-", dir=course) as folder, quiet_nbgrader():
        for name in names:
            shutil.copytree(course / "source" / name, Path(folder) / "source" / name)
            enter_source(Path(folder), name)
        if book.exists():
            shutil.copyfile(book, book.with_name(f"{book.name}.damaged"))
        for left in ("-journal", "-wal", "-shm"):  # they belong to the lost file
            book.with_name(book.name + left).unlink(missing_ok=True)
        (Path(folder) / book.name).replace(book)


def point_to(course: Path) -> None:
    """Let a course's configuration find the autograder that runs now: a release may have come from another machine."""
    path = course / "nbgrader_config.py"
    if path.exists():
        text = path.read_text(encoding="utf-8")
        here = f"sys.path.insert(0, {str(ROOT)!r})"
        path.write_text(AUTOGRADER.sub(lambda _: here, text, count=1), encoding="utf-8")
