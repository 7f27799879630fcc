"""``python -m autograder.grading.remote FOLDER PARENT``: on a Dask worker, judge the submission in ``FOLDER/parcel``."""

from __future__ import annotations

import os
import pickle
import sys
from dataclasses import replace
from pathlib import Path

from autograder.grading.store import write_atomic
from autograder.grading.worker import ORPHAN, Task, die_with_grader, work
from autograder.judge import preload
from autograder.release.kit import private_of, public_of


def main(folder: str, parent: str) -> int:
    """Unpack, take in, judge, write ``answer.json``; end with the worker that started this process."""
    die_with_grader()
    if os.getppid() != int(parent):
        return ORPHAN
    scratch = Path(folder)
    task: Task
    task, files, execute = pickle.loads((scratch / "parcel").read_bytes())  # made in this run, never by a student
    raw = scratch / "in"
    raw.mkdir()
    for name, data in files.items():
        write_atomic(raw / name, data)
    top = raw / task.found.path.name
    more = tuple((raw / path.name, name) for path, name in task.found.more)
    found = replace(task.found, path=top if top.is_file() and not task.found.path.is_dir() else raw, more=more)
    intake = task.intake and replace(task.intake, files=raw)
    kit = Path(__file__).resolve().parents[2]  # this very code came in the kit, and the course with it
    job = replace(task.job, public=public_of(kit), private=private_of(kit, task.assignment))
    moved = replace(task, found=found, intake=intake, job=job, dest=scratch / "dest", answer=scratch / "answer.json")
    if execute is None:
        preload.load()
    work(moved, execute)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
