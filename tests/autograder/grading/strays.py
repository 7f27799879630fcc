"""A judge that leaves a process behind which is nobody's child any more, and then works on; with the grader around it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.records import Job, Result
from tests.autograder.tiny_course import NAME, FakeRelease


def stray(job: Job) -> Result:
    """Start a process in a session of its own whose parent ends at once, say so, and go on for a while."""
    subprocess.run(["setsid", "--fork", "sleep", "300"], check=True)
    (job.public.parent / "ready").touch()
    time.sleep(300)
    raise AssertionError


def main(base: Path) -> None:
    """Grade the class of ``base`` with this judge."""
    how = Settings(progress=False, execute=stray, workers=1)
    grade(base / "subs", FakeRelease(base / "release"), base / "out", NAME, how)


if __name__ == "__main__":
    sys.modules["__main__"].__spec__ = None  # judges need not import this as their main module
    from tests.autograder.grading import strays

    strays.main(Path(sys.argv[1]))
