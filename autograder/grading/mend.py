"""A mended check comes into a release in use: shown first, taken with a reason, noted in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.grading.lock import alone
from autograder.grading.regrade import Decision
from autograder.grading.repair import note_in_gradebook, restore_end
from autograder.grading.store import ReleaseLike, course_dir, open_ledger
from autograder.release.mend import changed_in_sources, complete, take_from_sources, unfinished
from autograder.source.build import read_sources
from course_utils.errors import CourseError


def mend(
    release: ReleaseLike,
    assignment: str,
    source_dir: Path,
    exercises: Sequence[str] = (),
    decision: Decision | None = None,
) -> dict[str, list[str]]:
    """Compare the checks of a release with those of the sources, and take them if that is decided.

    Args:
        source_dir: the folder with the sources.
        exercises: only these; by default all whose check differs.
        decision: without one nothing is written.

    Returns:
        Exercise id to what differs, in words.

    Raises:
        CourseError: an exercise that does not differ, what a release in use cannot take, or somebody is grading.
    """
    root = Path(release.root).resolve()
    (source,) = read_sources(source_dir, [assignment])
    found = changed_in_sources(root, source)
    same = sorted(set(exercises) - found.keys())
    if same:
        raise CourseError(
            f"{same[0]}: its check is the same in the sources; different are: {', '.join(found) or 'none'}"
        )
    chosen = {name: what for name, what in found.items() if not exercises or name in exercises}
    if decision and (chosen or unfinished(root, assignment)):
        with alone(course_dir(release)):
            restore_end(release)
            if chosen:
                data = {"assignment": assignment, "exercises": [*chosen]}
                open_ledger(release).append("mended", **data, reason=decision.reason, by=decision.by)
                take_from_sources(root, source, chosen)
            else:
                complete(root, assignment)
            note_in_gradebook(release)
    return chosen
