"""What folders hold of a person: found by the names that the grader gives, deleted, and looked for once more by words."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.grading.store import ROSTER, write_atomic
from autograder.intake.tables import decoded, read_lines
from course_utils.errors import CourseError

COURSE = ("submitted", "autograded", "feedback", "entering")  # folders of nbgrader's course with one for each student
UNREAD = ("source", "release")  # what everybody is given
MOST = 64 * 2**20  # bytes of a file in which words are looked for


@dataclass(frozen=True)
class Person:
    """A person: all ids, and the words that name them (ids, names and addresses that nobody else has)."""

    ids: frozenset[str]
    words: frozenset[str] = frozenset()

    def named_by(self, data: Mapping[str, Any]) -> bool:
        """Whether an entry of the ledger is about the person."""
        return bool(self.ids & {*(data.get(key, "") for key in ("student", "into", "came_as")), *data.get("ids", ())})

    def places(self, roots: Sequence[Path]) -> Iterator[Path]:
        """Files and folders that are the person's: below the nbgrader course, and below where reports are written."""
        course, out = roots
        for one in sorted(self.ids):
            yield from (course / name / one for name in COURSE if (course / name / one).is_dir())
            yield from sorted((course / "results").glob(f"*/{_literal(one)}.json"))
            yield from sorted((course / "results").glob(f"*/{_literal(one)}.json.next"))
            yield from sorted((course / "results").glob(f"*/{_literal(one)}.*.aside"))
            for folder in sorted((course / "removed").glob("*")):
                if folder.name.partition("-")[2] == one:
                    yield folder
            yield from sorted((out / "intake").glob(f"*/{_literal(one)}"))
            pages = (out / name / f"{one}.html" for name in ("feedback", "report/feedback"))
            yield from (page for page in pages if page.is_file())

    def pattern(self) -> re.Pattern[str]:
        """The words, as they stand alone in a text or in JSON."""
        spelt = {form for word in self.words for form in (word, json.dumps(word)[1:-1])}
        begin = r"(?:(?<![\w.@-])|(?<=\\n)|(?<=\\t))"  # in JSON a line ends in a backslash and a letter
        return re.compile("|".join(rf"{begin}{re.escape(one)}(?![\w@-])" for one in sorted(spelt, key=len)[::-1]))


def _literal(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)


def delete_all(person: Person, roots: Sequence[Path]) -> list[Path]:
    """Delete the person's files, lines of earlier class lists, and parts of summaries; returns what was deleted or written.

    Raises:
        CourseError: something cannot be deleted; the command can be given again.
    """
    done = []
    for place in list(person.places(roots)):
        try:
            shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()
        except OSError as error:
            raise CourseError(
                f"{place}: cannot be deleted ({error.strerror}); mend that and give this again"
            ) from error
        done.append(place)
    course, out = roots
    done += [path for path in earlier_lists(course) if _without_lines(person, path)]
    done += [path for path in sorted(out.glob("*.json")) if _without_outcome(person, path)]
    index = out / "report" / "index.html"
    if index.is_file() and person.pattern().search(index.read_text(encoding="utf-8", errors="replace")):
        index.unlink()
        done.append(index)
    return done


def earlier_lists(course: Path) -> list[Path]:
    """Class lists that others took the place of."""
    return sorted(course.glob(f"{ROSTER}.before-*"))


def listed_before(ids: Collection[str], course: Path) -> dict[str, set[str]]:
    """Names and addresses by id, of those who stand on an earlier class list."""
    found: dict[str, set[str]] = {}
    for path in earlier_lists(course):
        with suppress(CourseError):
            for _, row in read_lines(path, "the class list").rows:
                if (who := row.get("id", "")) in ids:
                    found.setdefault(who, set()).update(filter(None, (row.get("name"), row.get("email"))))
    return found


def _without_lines(person: Person, path: Path) -> bool:
    """Take the person's lines out of an earlier class list; one that cannot be read is found by :func:`mentions`."""
    try:
        mine = {line for line, row in read_lines(path, "the class list").rows if row.get("id") in person.ids}
    except CourseError:
        return False
    if mine:
        rows = decoded(path)[0].split("\n")
        write_atomic(path, "\n".join(row for number, row in enumerate(rows, start=1) if number not in mine))
    return bool(mine)


def _without_outcome(person: Person, path: Path) -> bool:
    """Take the person out of the summary of the last run, and out of the lines of it that name the person."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        outcomes = data["outcomes"]
    except (OSError, ValueError, KeyError, TypeError):
        return False  # no summary
    words = person.pattern()
    kept = {key: _unnamed(words, value) for key, value in data.items()}
    kept["outcomes"] = [one for one in outcomes if one.get("student") not in person.ids]
    if kept != data:
        write_atomic(path, json.dumps(kept, indent=1))
    return kept != data


def _unnamed(words: re.Pattern[str], value: Any) -> Any:
    """A list without what names the person; anything else as it is."""
    return [one for one in value if not words.search(json.dumps(one))] if isinstance(value, list) else value


def mentions(person: Person, roots: Sequence[Path]) -> list[str]:
    """Files below the two folders in whose name or text one of the words still stands, each with its place."""
    words, found = person.pattern(), set()
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.relative_to(root).parts[0] in UNREAD or not path.is_file() or path.is_symlink():
                continue
            with suppress(OSError):
                text = path.read_bytes().decode("utf-8", "replace") if path.stat().st_size <= MOST else ""
                if words.search(path.name) or words.search(text):
                    found.add(str(path))
    return sorted(found)
