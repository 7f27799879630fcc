"""The part of the class report that names equal work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autograder.grading.similar import added_code, answers_of, similar, work_of
from autograder.grading.store import ReleaseLike, of_ledger, open_ledger
from course_utils.errors import CourseError

MOST = 200
UNREAD = "the work could not be compared with others' ({}); look at it by hand"


def similar_rows(release: ReleaseLike, assignment: str) -> list[dict[str, Any]]:
    """Students with equal work as the template ``similar.html.j2`` shows them: names and what is equal."""
    works, unread = {}, []
    for (name, student), standing in open_ledger(release).standings().items():
        if name == assignment and standing.verdict:
            try:
                works[student] = work_of(of_ledger(release, assignment, student, standing))
            except CourseError:  # the report names it elsewhere
                continue
            except Exception as error:  # whatever a student hands in, the report of the class is made
                unread.append({"students": [student], "evidence": [UNREAD.format(type(error).__name__)]})
    skeleton = release.skeleton(assignment)
    stubs = {**answers_of(skeleton), **added_code(skeleton, given=True)}
    alike = similar(works, stubs, Path(release.root) / "student")
    return unread + [{"students": one.students, "evidence": one.evidence} for one in alike[:MOST]]
