"""What folders hold of a person: found by the names that the grader and platforms give, and deleted."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from autograder.grading.person import Person
from autograder.grading.store import ROSTER, write_atomic
from autograder.grading.words import Words
from autograder.intake.platforms import SUBMITTED
from autograder.intake.tables import decoded, lines_of, read_lines
from course_utils.errors import CourseError

COURSE = (SUBMITTED, "autograded", "feedback", "entering")  # folders of nbgrader's course with one for each student
ASIDE = re.compile(r"(?:\d{8}T\d{12}|pages)-(.+)", re.S)  # what removal and merging call the folders of removed/
Mine = Callable[[Path], bool]


def places(person: Person, roots: Sequence[Path]) -> Iterator[Path]:
    """Files and folders that are the person's: below the nbgrader course, and below where reports are written.

    Each is an entry of a folder that is listed, and its whole name is compared.
    """
    for folder, mine in _folders(person, *roots):
        if folder.is_dir():
            yield from sorted(one for one in folder.iterdir() if mine(one))


def _folders(person: Person, course: Path, out: Path) -> Iterator[tuple[Path, Mine]]:
    """The folders in which something of one person lies beside that of others, and what tells which it is."""
    ids = "|".join(sorted(map(re.escape, person.ids)))
    result = re.compile(rf"(?:{ids})\.(?:json|json\.next|[0-9a-f]{{16}}\.aside)|\.(?:{ids})\.json\.(?:next\.)?\w{{8}}")
    answer = re.compile(rf"(?:{ids})\.(?:json|now)|\.(?:{ids})\.(?:json|now)\.\w{{8}}")

    def handed(path: Path) -> bool:
        return person.owns(path.name, _assignment(path))

    yield from ((course / name, handed) for name in COURSE)
    yield from ((one, _whole(result)) for one in _below(course / "results"))
    yield course / "removed", lambda path: bool((at := ASIDE.fullmatch(path.name)) and at[1] in person.ids)
    for one in [below for top in (course, out) for below in _below(top / "intake")]:
        yield one, lambda path: person.owns(path.name, path.parent.name)
    yield from ((one, _whole(answer)) for one in _below(out) if one.name.startswith("answers-"))
    pages = {f"{one}.html" for one in person.ids}
    yield from ((out / name, lambda path: path.name in pages) for name in ("feedback", "report/feedback"))


def _assignment(path: Path) -> str:
    """The assignment of a folder of hand-ins in nbgrader's layout; an empty string if it is of several, or of none."""
    found = [one.name for one in _below(path)] if not path.is_symlink() else []
    return found[0] if len(found) == 1 else ""


def _whole(pattern: re.Pattern[str]) -> Mine:
    return lambda path: bool(pattern.fullmatch(path.name))


def _below(folder: Path) -> list[Path]:
    return sorted(one for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []


def delete_files(person: Person, roots: Sequence[Path]) -> list[Path]:
    """Delete the person's files and folders, and parts of summaries; returns what was deleted or written.

    Raises:
        CourseError: something cannot be deleted, or lies out of the two folders behind a link; the command can be given again.
    """
    found = list(places(person, roots))
    for place in found:
        _require_inside(place, roots)
    for place in found:
        try:
            shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()
        except OSError as error:
            raise CourseError(
                f"{place}: cannot be deleted ({error.strerror}); mend that and give this again"
            ) from error
    out = roots[1]
    found += [path for path in sorted(out.glob("*.json")) if _without_outcome(person, path)]
    index = out / "report" / "index.html"
    if index.is_file() and Words(person).anywhere(index.read_text(encoding="utf-8", errors="replace")):
        index.unlink()
        found.append(index)
    return found


def _require_inside(place: Path, roots: Sequence[Path]) -> None:
    """Raise CourseError for what does not lie in one of the folders. ``submitted`` itself may be a link of the instructor's."""
    above = place.parent.resolve()
    tops = [*(one.resolve() for one in roots), (roots[0] / SUBMITTED).resolve()]
    if place.name in ("", ".", "..") or not any(top in (above, *above.parents) for top in tops):
        raise CourseError(
            f"{place}: lies in {above}, out of the release, since a folder above it is a link; delete it there, take the link "
            "away, and give this command again"
        )


def earlier_lists(course: Path) -> list[Path]:
    """Class lists that others took the place of."""
    return sorted(course.glob(f"{ROSTER}.before-*"))


def without_lines(person: Person, path: Path) -> bool:
    """Take the person's lines out of an earlier class list, which stays as it was written otherwise.

    One that cannot be read stays as it is; :func:`autograder.grading.mentions.mentions` finds it.
    """
    try:
        mine = {line for line, row in read_lines(path, "the class list").rows if row.get("id") in person.ids}
        text, code = decoded(path)
    except CourseError:
        return False
    if mine:
        rows = enumerate(lines_of(text), start=1)
        write_atomic(path, "".join(row for number, row in rows if number not in mine).encode(code))
    return bool(mine)


def _without_outcome(person: Person, path: Path) -> bool:
    """Take the person out of the summary of the last run: lines that begin with an id or the whole name, and list entries.

    All else stays, also what names the person together with others; :func:`autograder.grading.mentions.mentions` finds it.
    """
    data: Any = None
    with suppress(OSError, ValueError):
        data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict) or not isinstance(data.get("outcomes"), list):
        return False  # no summary
    kept = {key: _left(person, path.stem, value) if isinstance(value, list) else value for key, value in data.items()}
    if kept != data:
        write_atomic(path, json.dumps(kept, indent=1))
    return bool(kept != data)


def _left(person: Person, assignment: str, entries: list[Any]) -> list[Any]:
    """The entries of a list without those that are about the person. A group of ids loses the person alone."""
    found: list[Any] = []
    for one in entries:
        if isinstance(one, list):
            group = [part for part in one if part not in person.ids]
            found += [one] if len(group) == len(one) else [group] if len(group) > 1 else []
        elif not _about(person, assignment, one):
            found.append(one)
    return found


def _about(person: Person, assignment: str, one: Any) -> bool:
    """Whether an entry of a list is about the person: an outcome, an entry of nobody, an id, or a line that begins with it."""
    if isinstance(one, dict):
        said = one.get("student")
        return said in person.ids if said else person.owns(str(one.get("item", "")), assignment)
    who = str(one).partition(": ")[0]
    return who in person.ids or who in person.names
