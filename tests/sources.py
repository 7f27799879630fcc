"""The course's sources, read once per process."""

from functools import cache

from autograder.source.build import read_sources
from autograder.source.percent import Source
from tests.paths import ROOT


@cache
def course_sources() -> tuple[Source, ...]:
    """Every notebook's source, read and linted, in the order of the course."""
    return tuple(read_sources(ROOT / "solutions"))
