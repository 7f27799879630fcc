"""Making and reading a term's release, and the configuration of its nbgrader course.

A release's own ``nbgrader_config.py`` imports ``configure_course`` from here, so the name must stay. It is looked up when
it is asked for: nbgrader is a second of imports, and most of this folder is used without it.
"""

from typing import Any

__all__ = ["configure_course"]


def __getattr__(name: str) -> Any:
    """``configure_course``. Raises AttributeError for any other name."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from autograder.release import nbgrader_db

    return getattr(nbgrader_db, name)
