"""Judges that tests hand to the grader.

They stand in a module that imports little: every judging process imports the module of its judge.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

from autograder.records import Job, Result
from course_utils.errors import MachineError
from tests.autograder.tiny_course import fake_execute


def generous(job: Job) -> Result:
    """As the fake judge; a check that says so takes ``return x`` as right, another refuses what was right before."""
    result = fake_execute(job)
    log = job.public.parent / "judged.txt"
    names = " ".join(v.exercise for v in result.verdicts)
    with log.open("a") as handle:  # one write of one line: another process writes here at the same time
        handle.write(f"{job.student}: {names}: {job.seed}\n")
    cells = {one["id"]: one["source"] for one in job.notebook["cells"]}
    for at, one in enumerate(result.verdicts):
        text = job.checks[one.exercise].source
        if "# x is right" in text and "return x\n" in cells[f"answer-{one.exercise}"] + "\n":
            result.verdicts[at] = replace(one, status="passed", points=one.max_points, hint="")
        if "# nothing is right" in text:
            result.verdicts[at] = replace(one, status="failed", points=0.0, hint="now refused")
    return result


def crowded(job: Job) -> Result:
    """In company (all of the class are in here at once), a student is hurt as ``hurt`` says; alone, nobody is."""
    room = job.public.parent / "room"
    room.mkdir(exist_ok=True)
    runs = job.public.parent / f"runs-{job.student}"
    runs.write_text(runs.read_text() + "." if runs.exists() else ".")
    company = runs.read_text() == "." and await_all(room, "here", job)
    result = hurt(job) if company else fake_execute(job)
    if company:
        await_all(room, "seen", job)
    if job.student == "killed" and company:
        os._exit(137)
    if job.student == "unbuilt" and company:
        raise MachineError("the sandbox could not be built, so nothing was run (it ended without a word)")
    return result


def await_all(room: Path, step: str, job: Job) -> bool:
    """Wait until every student of the class has come to this step; False where there is no class."""
    (room / f"{step}-{job.student}").touch()
    size = int((job.public.parent / "size").read_text())
    deadline = time.monotonic() + 300
    while len(list(room.glob(f"{step}-*"))) < size and time.monotonic() < deadline:
        time.sleep(0.02)
    return size > 1


def hurt(job: Job) -> Result:
    """What a neighbour does to a right answer, and what it cannot be blamed for."""
    result = fake_execute(job)
    first = result.verdicts[0]
    changed = {
        "slow": replace(first, status="failed", points=0.0, seconds=31.0),  # of 60
        "timeout": replace(first, status="timeout", points=0.0, seconds=60.0),
        "dead": replace(first, status="dead", points=0.0),
        "quick": replace(first, status="failed", points=0.0, seconds=1.0),  # his own mistake, far from any limit
        "fine": replace(first, seconds=59.0),
    }
    result.verdicts[0] = changed.get(job.student, first)
    return result


def slow(job: Job) -> Result:
    """Say which exercise is judged, and take a while."""
    assert job.told is not None
    job.told.write_text("paris\t2\t2")
    time.sleep(1.5)
    return fake_execute(job)


def eat(_: Job) -> Result:
    """Asks for 4 GiB."""
    bytearray(4 * 2**30)
    raise AssertionError


def on_a_worker(job: Job) -> Result:
    """As the fake judge; the first time that an answer says so, the Dask worker that started this process is killed."""
    cells = {one["id"]: one["source"] for one in job.notebook["cells"]}
    lost = job.public.parents[1] / "lost-worker"  # in the kit, which all workers share here
    if "the worker is lost" in cells["answer-london"] and not lost.exists():
        lost.touch()
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    return fake_execute(job)
