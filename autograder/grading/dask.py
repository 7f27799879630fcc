"""Grading on other machines: a submission travels as bytes, its answer comes back as text; no disk is shared for it."""

from __future__ import annotations

import json
import multiprocessing
import pickle
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.grading.store import write_atomic
from autograder.grading.worker import Execute, Task, work
from autograder.intake.archive import Limits, Meter, copy_file, copy_tree
from course_utils.errors import CourseError


def over_dask(tasks: Sequence[Task], scheduler: str, execute: Execute | None = None) -> Iterator[tuple[Task, str]]:
    """Map tasks over a Dask cluster and yield them with their answers as they end.

    The release folder (``student/`` and ``private/``) must be visible to the workers under the same path.

    Raises:
        CourseError: Dask is not installed, or the scheduler does not answer.
    """
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise CourseError("a scheduler was named but Dask is not installed; pip install distributed") from error
    try:
        client = Client(scheduler)
    except (OSError, ValueError) as error:
        raise CourseError(f"{scheduler}: no Dask scheduler answers there ({error}); check the address") from error
    with client:
        futures = {}
        for task in tasks:
            try:
                futures[client.submit(remote, *parcel(task), execute, pure=False)] = task
            except CourseError as error:
                yield task, json.dumps({"state": "refused", "reason": str(error)})
        for future in as_completed(list(futures)):
            failure = future.exception()
            dead = json.dumps({"state": "dead", "reason": f"the worker failed: {failure}"[:500]})
            yield futures[future], dead if failure else future.result()


def parcel(task: Task) -> tuple[bytes, dict[str, bytes]]:
    """The task, and the hand-in's regular files as bytes by relative name."""
    found, limits = task.found, Limits()
    with tempfile.TemporaryDirectory() as scratch:
        raw = Path(scratch)
        if found.path.is_dir() and not found.path.is_symlink():
            copy_tree(found.path, raw, limits, where=found.student)
        else:
            for path in (found.path, *(path for path, _ in found.more)):
                copy_file(path, raw / path.name, path.name, Meter(found.student, limits))
        files = {str(p.relative_to(raw)): p.read_bytes() for p in sorted(raw.rglob("*")) if p.is_file()}
    return pickle.dumps(task), files


def remote(packed: bytes, files: dict[str, bytes], execute: Execute | None = None) -> str:
    """On a worker: unpack the parcel, take in and judge in a process of its own, return the answer's text."""
    task: Task = pickle.loads(packed)  # made by parcel() in this run, never by a student
    with tempfile.TemporaryDirectory() as scratch:
        raw, answer = Path(scratch) / "in", Path(scratch) / "answer.json"
        for name, data in files.items():
            write_atomic(raw / name, data)
        top = raw / task.found.path.name
        more = tuple((raw / path.name, name) for path, name in task.found.more)
        found = replace(task.found, path=top if top.is_file() and not task.found.path.is_dir() else raw, more=more)
        local = replace(task, found=found, dest=Path(scratch) / "dest", answer=answer)
        process = multiprocessing.get_context("spawn").Process(target=work, args=(local, execute))
        process.start()
        process.join()
        if not answer.exists():
            return json.dumps({"state": "dead", "reason": f"the judge's process ended (exit code {process.exitcode})"})
        return answer.read_text(encoding="utf-8")
