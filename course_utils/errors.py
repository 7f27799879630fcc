"""Errors meant for people: one sentence that names the thing and the remedy."""


class CourseError(Exception):
    """Bad input (missing file, wrong shape, truncated archive …). Command lines print it as one line and exit with 2."""
