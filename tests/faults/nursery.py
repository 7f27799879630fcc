"""A process that has imported the grader once, and forks a child for every run of it: hundreds of runs in minutes.

Commands come as JSON lines on stdin, answers go as JSON lines to stdout: ``start`` forks a grader and gives its process
id, ``wait`` gives its exit status.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from autograder.grading import gradebook, pipeline  # noqa: F401  (imported here once, for all children)
from autograder.grading.settings import Settings
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, FakeRelease
from tests.faults.inject import FAULTS
from tests.faults.judge import judge


def main() -> None:
    """Answer commands until stdin ends."""
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "start":
            answer = os.fork()
            if answer == 0:
                child(command)
        else:
            _, answer = os.waitpid(command["pid"], 0)
        print(json.dumps(answer), flush=True)


def child(command: dict[str, Any]) -> None:
    """One grader, with the fault that was asked for; it never returns."""
    base = Path(command["base"])
    log = os.open(base / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ["FAULTS_TOKEN"] = command["token"]  # what it starts can be found by this
    code = 70
    try:
        for name, argument in command.get("faults", {}).items():
            FAULTS[name](base, argument)
        how = Settings(progress=False, execute=judge, workers=command.get("workers", 2), wall=60.0, seed=7)
        summary = pipeline.grade(base / "subs", FakeRelease(base / "release"), base / "out", NAME, how)
        code = summary.exit_code
        for one in summary.outcomes:
            if not one.ok:
                os.write(2, f"{one.student}: {one.state}: {one.reason}\n".encode())
    except CourseError as error:
        code = 2
        os.write(2, f"error: {error}\n".encode())
    except BaseException:  # what a person would see as a traceback: the office counts it
        import traceback

        os.write(2, f"CRASH {traceback.format_exc()}\n".encode())
    finally:
        os._exit(code)
