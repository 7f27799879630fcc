"""A term's release: made, read, and its nbgrader course configured.

A release's own ``nbgrader_config.py`` and ``jupyter_server_config.py`` import from here, so the names must stay.
"""

from autograder.release.nbgrader_db import configure_course, configure_server

__all__ = ["configure_course", "configure_server"]
