"""The course's sources, read once per process."""

from functools import cache

from autograder.source.percent import Source, read_source, source_paths
from tests.paths import ROOT


@cache
def course_sources() -> tuple[Source, ...]:
    """Every notebook's source, in the order of the course; whether they are clean is asked by ``make lint``."""
    return tuple(read_source(path) for path in source_paths(ROOT / "solutions"))
