"""An assignment's folder for nbgrader's exchange: the notebook with everything that it needs beside it."""

from __future__ import annotations

import shutil
from pathlib import Path

from autograder.release.read import Release
from autograder.source.build import replace_folder
from course_utils.errors import CourseError


def fill_exchange(release: Release, name: str) -> Path:
    """Make ``instructor/release/NAME`` what ``nbgrader release_assignment`` hands out; an older one is replaced.

    nbgrader copies this one folder to students, and back when they submit. So course and data go beside the notebook.

    Raises:
        CourseError: no such assignment, a part of the students' folder is missing, or the folder cannot be written.
    """
    notebook = release.public / "notebooks" / f"{name}.ipynb"
    if name not in release.assignments or not notebook.is_file():
        raise CourseError(f"{name}: not in this release, which has {', '.join(release.assignments)}")
    target = release.root / "instructor" / "release" / name
    with replace_folder(target) as aside:
        shutil.copyfile(notebook, aside / notebook.name)
        for needs in ("requirements.txt", "environment.yml"):
            shutil.copyfile(release.public / needs, aside / needs)
        for part in ("course_utils", "data"):
            shutil.copytree(release.public / part, aside / part)
    return target
