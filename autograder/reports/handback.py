"""Feedback that a platform takes back: one zip of pages, named as the platform's importer reads names."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.grading.store import ReleaseLike, write_atomic
from autograder.intake.handin import Found
from autograder.intake.platforms import upload_prefix
from autograder.pages.inert import inert_name
from autograder.pages.policy import page_policy
from autograder.reports.feedback import environment, number, style, write_feedback
from autograder.reports.lateness import LATE_UNKNOWN
from autograder.reports.roll import Roll, StudentRow
from course_utils.errors import CourseError

PLATFORMS = ("canvas", "moodle")
# characters that have a meaning in a name that Moodle reads, or in a path of Windows
_SPARED = str.maketrans(dict.fromkeys('_/\\~.:<>"|?*', " "))


@dataclass(frozen=True)
class Handback:
    """What was packed.

    Attributes:
        names: name in the zip by student.
        left_out: students with a page whose place on the platform is not known.
    """

    names: Mapping[str, str]
    left_out: list[str]


def refused_page(assignment: str, one: StudentRow) -> str:
    """The page of a student whose hand-in was not graded: why, as far as a student may know, and what to do."""
    page = environment().get_template("refused.html.j2")
    return page.render(
        assignment=assignment, student=inert_name(one.name or one.student), reason=one.told, css=style(),
        policy=page_policy([style()]),
    )  # fmt: skip


def late_words(one: StudentRow) -> str:
    """What a student is told about lateness. Where the time is not known, nothing was decided yet."""
    if one.share < 1:
        return f"Handed in {one.late} late: {number(100 * one.share)} % of the points count, {number(one.final)}."
    return "" if LATE_UNKNOWN in one.late else f"Handed in {one.late} late; nothing is taken off."


def all_pages(
    release: ReleaseLike, assignment: str, roll: Roll, out: Path, *, progress: bool = True
) -> dict[str, Path]:
    """Write a page for everybody who handed in something, below ``out``; returns them by student.

    Raises:
        CourseError: nothing is graded yet, or the folder cannot be written.
    """
    late = {one.student: late_words(one) for one in roll.students if one.late}
    names = {one.student: one.name for one in roll.students if one.name}
    times = {one.student: one.received for one in roll.students}
    due = {one.student: one.due for one in roll.students}
    pages = write_feedback(release, assignment, out, late, names, times, due, progress=progress)
    for one in roll.of("refused"):
        pages[one.student] = out / f"{one.student}.html"
        write_atomic(pages[one.student], refused_page(assignment, one))
    return pages


def pack(
    roll: Roll, assignment: str, platform: str, pages: Mapping[str, Path], path: Path, found: Sequence[Found] = ()
) -> Handback:
    """Write the zip.

    Args:
        roll: the class.
        platform: one of :data:`PLATFORMS`.
        pages: of :func:`all_pages`.
        path: the zip.
        found: the hand-ins of the platform's own export; Canvas needs them, its comments belong to an upload.

    Raises:
        CourseError: no page has a place on the platform, or the zip cannot be written.
    """
    uploads = {one.student: one for one in found if one.platform == platform}
    names: dict[str, str] = {}
    for one in roll.students:
        name = _name(one, assignment, platform, uploads.get(one.student)) if one.student in pages else ""
        if name:
            names[one.student] = name
    if not names:
        remedy = (
            "give the export again with --submissions" if platform == "canvas" else "give moodle_id in the class list"
        )
        raise CourseError(f"no student's place on {platform} is known; {remedy}")
    if len(set(names.values())) < len(names):
        raise CourseError(f"two students have one number on {platform}; mend the class list")
    write_atomic(path, _zipped({names[student]: pages[student].read_bytes() for student in sorted(names)}))
    return Handback(names, sorted(set(pages) - set(names)))


def _name(one: StudentRow, assignment: str, platform: str, upload: Found | None) -> str:
    """The name of a student's page in the zip, or an empty string."""
    if platform == "canvas":
        prefix = upload_prefix(upload.path.name) if upload else ""
        return f"{prefix}{assignment}-feedback.html" if prefix else ""
    number = one.number("moodle") or (upload.lms_id if upload else "")
    person = " ".join((one.name or one.student).translate(_SPARED).split()) or "student"
    return f"{person}_{number}_assignfeedback_file_/{assignment}-feedback.html" if number.isdecimal() else ""


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip of these files, the same bytes for the same pages."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()
