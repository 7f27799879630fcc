"""A term's release: made, read, and its nbgrader course configured.

A release's own ``nbgrader_config.py`` imports ``configure_course`` from here, so the name must stay.
"""

from autograder.release.nbgrader_db import configure_course

__all__ = ["configure_course"]
