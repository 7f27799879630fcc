"""What the platforms' importers accept, written again from their rules (``docs/lms.md``), to hold our files against them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence


class Refused(Exception):
    """The importer would not take the file."""


def rows_of(text: str) -> list[list[str]]:
    lines = text.removeprefix("\ufeff").splitlines()
    semicolons = all(line.count(";") > line.count(",") for line in lines[:3])
    return [
        row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff")), delimiter=";" if semicolons else ",") if row
    ]


def canvas(text: str, assignments: Mapping[int, str], users: Mapping[int, str]) -> dict[tuple[int, int], str]:
    """New grades by user and assignment, both numbers of Canvas; an empty one would take the grade away.

    The first line: Student, ID, then up to three school columns, Section. Assignments are told by ``(number)`` behind the
    title, else by title; an unknown one is created. A line is the user's of its ID.
    """
    head, *rows = rows_of(text)
    if not (len(head) > 3 and "Student" in head[0] and "ID" in head[1]):
        raise Refused("header")
    info = 3
    if re.search(r"SIS\s+Login\s+ID", head[2]):
        info = 4
    elif re.search(r"SIS\s+User\s+ID", head[2]) and re.search(r"SIS\s+Login\s+ID", head[3]):
        info = 5 + ("Integration ID" in head[4])
        info += "Root Account" in head[info - 1]
    if "Section" not in head[info - 1]:
        raise Refused("Section")
    columns = {}
    for at, name in enumerate(head[info:], start=info):
        if re.search(r"(Current|Final|Override) (Score|Points|Grade|Status)", name):
            continue
        match = re.fullmatch(r"(.*)\s\((\d+)\)", name)
        known = [number for number, title in assignments.items() if name == title]
        if match and int(match[2]) in assignments:
            known = [int(match[2])]
        if not known:
            raise Refused(f"{name} would become a new assignment")
        columns[at] = known[0]
    found = {}
    for row in rows:
        if "Points Possible" in row[0] or not any(
            re.sub(r"^\s*(Muted|Manual Posting.*)?\s*$", "", value) for value in row
        ):
            continue
        if not row[1].isdigit() or int(row[1]) not in users:
            continue
        found.update({(int(row[1]), number): row[at].strip() for at, number in columns.items()})
    return found


def moodle(text: str, words: Sequence[str], participants: Mapping[int, str], most: float) -> dict[int, float]:
    """Grades that Moodle takes over, by participant.

    Args:
        words: Identifier, Grade, ``Last modified (grade)`` and the word before the number, in the site's language.
    """
    head, *rows = rows_of(text)
    if any(word not in head for word in words[:3]):
        raise Refused("header")
    found = {}
    for row in rows:
        number = row[head.index(words[0])][len(words[3]) :]
        grade = row[head.index(words[1])].strip().replace(",", ".")
        if (
            number.isdigit()
            and int(number) in participants
            and re.fullmatch(r"\d+(\.\d+)?", grade)
            and float(grade) <= most
        ):
            found[int(number)] = float(grade)
    return found


def moodle_zip(names: Sequence[str], participants: Mapping[int, str]) -> dict[str, tuple[int, str]]:
    """For each name of a zip that Moodle takes as feedback: the participant and the file's name."""
    found = {}
    for name in names:
        if name.endswith("/") or name.rpartition("/")[2][0] in ".~":
            continue
        parts = name.split("/")
        while parts:
            info = parts.pop(0).split("_", 4)
            if len(info) < 4 or not info[1].isdigit() or int(info[1]) not in participants:
                continue
            if (info[2], info[3]) != ("assignfeedback", "file"):
                continue
            rest = [*([info[4]] if len(info) > 4 else [""]), *parts]
            found[name] = (int(info[1]), "/".join(rest).lstrip("/"))
            break
    return found


def canvas_zip(names: Sequence[str], submissions: Mapping[int, Sequence[int]]) -> dict[str, int]:
    """For each name of a zip that Canvas takes as a comment: the user. ``submissions`` are attachments by user."""
    found = {}
    for name in names:
        words = name.rpartition("/")[2].split("_")
        numbers = [int(word) for word in words if re.fullmatch(r"\d+", word)][:2]
        if len(numbers) == 2 and not words[-1].startswith("link") and not name.startswith("._"):
            user, attachment = numbers
            if attachment in submissions.get(user, ()):
                found[name] = user
    return found
