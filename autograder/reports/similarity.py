"""The part of the class report that names equal work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autograder.grading.equal import equal_handins
from autograder.grading.similar import Work, added_code, alike, answers_of, given_forms
from autograder.grading.similar_apart import Reader
from autograder.grading.similar_code import Formed
from autograder.grading.store import ReleaseLike, Stored, of_ledger, open_ledger
from course_utils.errors import CourseError

MOST = 200
UNREAD = "some work could not be compared with others': {}; look at it by hand"


def similar_rows(release: ReleaseLike, assignment: str) -> list[dict[str, Any]]:
    """Students with equal work as the template ``similar.html.j2`` shows them: names and what is equal."""
    works: dict[str, tuple[Work, Formed]] = {}
    unread: list[dict[str, Any]] = []
    with Reader() as reader:
        for (name, student), standing in open_ledger(release).standings().items():
            if name != assignment or not standing.verdict:
                continue
            try:
                stored = of_ledger(release, assignment, student, standing)
                read = reader.read(stored.intake.notebook, Path(stored.intake.files))
                works[student] = (work_of(stored), read.code)
                missed = read.unread
            except CourseError:  # the report names it elsewhere
                continue
            except Exception as error:  # whatever a student hands in, the report of the class is made
                missed = [f"all of it ({type(error).__name__})"]
            if missed:
                unread.append({"students": [student], "evidence": [UNREAD.format(", ".join(missed))]})
    skeleton = release.skeleton(assignment)
    stubs = given_forms({**answers_of(skeleton), **added_code(skeleton, given=True)})
    found = alike(works, stubs, Path(release.root) / "student")
    rows = {one.students: [one.words] for one in equal_handins(open_ledger(release).people(), assignment, skeleton)}
    for likely in found[:MOST]:
        rows[likely.students] = [*rows.get(likely.students, []), *likely.evidence]
    return unread + [{"students": students, "evidence": evidence} for students, evidence in rows.items()]


def work_of(stored: Stored) -> Work:
    """A student's work from the stored result, without the texts."""
    right = {v.exercise for v in stored.result.verdicts if v.points >= v.max_points}
    return Work({}, right, Path(stored.intake.files))
