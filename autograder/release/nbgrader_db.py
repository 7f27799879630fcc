"""nbgrader's database of a course, and the settings with which nbgrader takes points from the judge."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import nbgrader.api
from alembic.script import ScriptDirectory
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.pages.export import configure_pages


def configure(c: Config) -> None:
    """Set nbgrader's options so that it takes points from the judge; the release's nbgrader_config.py calls this."""
    c.Autograde.autograde_preprocessors = [
        "autograder.grading.gradebook.TrustedExecute",
        "autograder.pages.export.InertNotebook",  # a result stored before answers were made inert on the way in
        "nbgrader.preprocessors.IgnorePattern",
        "nbconvert.preprocessors.ClearMetadataPreprocessor",
        "nbgrader.preprocessors.LimitOutput",
        "nbgrader.preprocessors.SaveAutoGrades",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    c.OverwriteCells.add_missing_cells = True
    c.GenerateFeedback.preprocessors = [
        "nbgrader.preprocessors.GetGrades",
        "autograder.grading.gradebook.StripHidden",
        "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
    ]
    # a feedback page must open without a network, and load nothing from elsewhere
    c.GenerateFeedback.exporter_class = "autograder.pages.export.StaticHTML"
    configure_pages(c)


def database_dir(db_url: str) -> Path:
    """The course folder that a gradebook's address points into."""
    return Path(db_url.removeprefix("sqlite:///")).resolve().parent


def db_url(course: Path) -> str:
    """Address of the gradebook of a course."""
    return f"sqlite:///{course / 'gradebook.db'}"


def tools_on_path() -> None:
    """Put the folder of this Python's scripts on the path, since nbgrader starts ``alembic`` by name."""
    scripts = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", "")
    if scripts not in path.split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join((scripts, path))


@cache
def newest_schema() -> str:
    """The version that nbgrader records in a new gradebook: that of the last of its migrations."""
    return str(ScriptDirectory(str(Path(nbgrader.__file__).parent / "alembic")).get_current_head())


def prepare() -> None:
    """Let nbgrader find its programs, and record a gradebook's version without starting one (seconds for each release)."""
    tools_on_path()
    nbgrader.api.get_alembic_version = newest_schema


def open_book(course: Path) -> Gradebook:
    """The gradebook of a course, as a context manager."""
    prepare()
    return Gradebook(db_url(course))


def open_api(course: Path, submitted: str = "submitted") -> NbGraderAPI:
    """nbgrader's own interface to a course, with the settings of :func:`configure` and not those of a config file.

    Args:
        submitted: the folder of the course from which it reads hand-ins.
    """
    prepare()
    config = Config()
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.db_url = db_url(course)
    config.CourseDirectory.submitted_directory = submitted
    configure(config)
    return NbGraderAPI(CourseDirectory(config=config), config=config)


LOGS = ("traitlets", "tornado.application")  # nbgrader's programs, and its gradebook


@contextmanager
def quiet_nbgrader() -> Iterator[None]:
    """Suppress nbgrader's log on stderr, which has a line for every corrected cell; the result contains the log."""
    logs = [logging.getLogger(name) for name in LOGS]
    before = [(log.handlers[:], log.propagate) for log in logs]
    for log in logs:
        log.handlers, log.propagate = [logging.NullHandler()], False  # without a handler Python itself prints warnings
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="nbgrader")  # of SQLAlchemy, about nbgrader's own sessions
            yield
    finally:
        for log, (handlers, propagate) in zip(logs, before, strict=True):
            log.handlers, log.propagate = handlers, propagate


GENERATE = (
    *("nbgrader.preprocessors.LockCells", "autograder.source.build.ClearAnswers", "nbgrader.preprocessors.ClearOutput"),
    *("nbgrader.preprocessors.CheckCellMetadata", "nbgrader.preprocessors.ComputeChecksums"),
    "nbgrader.preprocessors.SaveCells",  # the gradebook keeps the hidden tests, so it comes before they go
    *("nbgrader.preprocessors.ClearHiddenTests", "nbgrader.preprocessors.ClearMarkScheme"),
    *("nbgrader.preprocessors.ComputeChecksums", "nbgrader.preprocessors.CheckCellMetadata"),
)


def configure_course(c: Config, folder: Path) -> None:
    """Set the options of a release's nbgrader course; its ``nbgrader_config.py`` calls this."""
    c.CourseDirectory.root = str(folder)
    c.GenerateAssignment.preprocessors = list(GENERATE)
    configure(c)
    if guard_server():
        c.HTMLExporter.preprocessors = [*c.HTMLExporter.preprocessors, "autograder.release.rubric.ModelAnswers"]
        c.ModelAnswers.course = str(folder)


def guard_server() -> bool:
    """Let the Jupyter server that reads this configuration send the content policies of :mod:`autograder.pages`.

    The formgrader, nbgrader's page for marking, reads ``nbgrader_config.py`` in the folder where the server is started;
    Jupyter itself does not. A release of an earlier version calls :func:`configure_course` too and gets the same policies.

    Returns:
        Whether such a server runs here.
    """
    module = sys.modules.get("jupyter_server.serverapp")
    if module is None or not module.ServerApp.initialized():
        return False
    from autograder.pages.server import ContentPolicy

    server = module.ServerApp.instance()
    application = getattr(server, "web_app", None)
    configure_pages(server.config)  # pages that the server itself converts
    if application is not None and ContentPolicy not in application.transforms:
        application.add_transform(ContentPolicy)
    return True
