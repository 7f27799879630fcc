"""How a run grades: one record, so that every caller names what it changes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.grading.worker import GIB, Execute
from course_utils.errors import CourseError


@dataclass(frozen=True)
class Settings:
    """What may be chosen about a run of :func:`autograder.grading.pipeline.grade`.

    Attributes:
        workers: processes at a time, at least 1.
        progress: show a progress bar.
        resume: leave out what was graded before and has not changed.
        scheduler: address of a Dask scheduler; None uses processes here.
        seed: of the checks' draws; None draws a fresh one per check (it is recorded).
        memory: bytes of address space that each process may add.
        wall: seconds per submission; None derives it from the checks' own limits.
        execute: the judge; None is the real one.
        wait: wait for another grader on the same release, instead of an error.
        platform: where the export comes from, one of ``platforms.PLATFORMS``; decided from all its names by default.
        roster: CSV file with the class list.

    Raises:
        CourseError: fewer than one worker, or no memory or time at all.
    """

    workers: int = 2
    progress: bool = True
    resume: bool = True
    scheduler: str | None = None
    seed: int | None = None
    memory: int = 6 * GIB
    wall: float | None = None
    execute: Execute | None = None
    wait: bool = False
    platform: str = ""
    roster: Path | None = None

    def __post_init__(self) -> None:
        """Refuse what no run can be made of."""
        if self.workers < 1:
            raise CourseError(f"{self.workers} workers cannot grade; give --workers 1 or more")
        if self.memory <= 0 or (self.wall is not None and self.wall <= 0):
            raise CourseError("memory and time per submission must be more than nothing")
