"""Making and reading a term's release, and the configuration of its nbgrader course.

A release's own ``nbgrader_config.py`` imports ``configure_course`` from here, so the name must stay.
"""

from autograder.release.nbgrader_db import configure_course

__all__ = ["configure_course"]
