"""Grading on other machines: course and submissions travel as bytes, answers come back as text; no disk is shared."""

from __future__ import annotations

import json
import pickle
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.grading import launch
from autograder.grading.worker import Execute, Task
from autograder.intake.archive import Limits, Meter, copy_file, copy_tree
from autograder.records import Job
from autograder.release.kit import code_parts, course_parts, zipped
from course_utils.engine.files import first_error
from course_utils.errors import CourseError


def over_dask(
    tasks: Sequence[Task], scheduler: str, wall: float, execute: Execute | None = None
) -> Iterator[tuple[Task, str]]:
    """Map tasks over a Dask cluster and yield them with their answers as they end.

    Workers need Python and the course's packages in the same versions. The grader and the files of the assignment reach
    each of them once. When a worker dies, Dask gives what it had to another one, three times at most.

    Raises:
        CourseError: Dask is not installed, or the scheduler does not answer.
    """
    try:
        import cloudpickle
        from distributed import Client, as_completed
    except ImportError as error:
        raise CourseError("a scheduler was named but Dask is not installed; pip install distributed") from error
    try:
        client = Client(scheduler)
    except (OSError, ValueError) as error:
        raise CourseError(f"{scheduler}: no Dask scheduler answers there ({error}); check the address") from error
    cloudpickle.register_pickle_by_value(launch)  # workers have no autograder on their path
    with first_error(client):
        futures = {}
        kit = client.submit(launch.same, kit_of(tasks[0].job), pure=False) if tasks else None
        for task in tasks:
            try:
                load = parcel(task, execute)
            except (CourseError, OSError, RecursionError) as error:  # it costs this student, and not the class
                why = str(error) if isinstance(error, CourseError) else f"cannot be read ({type(error).__name__})"
                yield task, json.dumps({"state": "refused", "reason": why})
                continue
            futures[client.submit(launch.judged, kit, sys.path, load, wall, pure=False)] = task
        for future in as_completed(list(futures)):
            failure = future.exception()
            dead = json.dumps({"state": "dead", "reason": f"the worker failed: {failure}"[:500]})
            yield futures[future], dead if failure else future.result()


def kit_of(job: Job) -> bytes:
    """The grader and the files of the job's assignment, hidden ones too, as one zip."""
    return zipped([*code_parts(), *course_parts(job.public, job.private, job.assignment)])


def parcel(task: Task, execute: Execute | None = None) -> bytes:
    """The task, the hand-in's regular files as bytes by relative name, and the judge."""
    found, limits = task.found, Limits()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        raw, meter = Path(scratch), Meter(found.student, limits)
        if found.path.is_dir() and not found.path.is_symlink():
            copy_tree(found.path, raw, limits, meter=meter)
        else:
            for path in (found.path, *(path for path, _ in found.more)):
                copy_file(path, raw / path.name, path.name, meter)
        files = {str(p.relative_to(raw)): p.read_bytes() for p in sorted(raw.rglob("*")) if p.is_file()}
    return pickle.dumps((task, files, execute))
