"""Whether this machine has what the course needs: Python, a build of torch, disk, memory, and the course's files."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

from course_utils.notebook.costs import Cost
from course_utils.notebook.session import Course

GIB = 2**30
DISK = 2.0  # GiB for weights, checkpoints and hand-ins of all notebooks
PYTHON = (3, 11)
PARTS = ("measured", "promises", "world")  # folders of the course's data


@dataclass(frozen=True)
class Finding:
    """One line of the report; ``remedy`` is empty where all is well."""

    what: str
    found: str
    remedy: str = ""


def doctor(course: Course, costs: Mapping[str, Cost]) -> str:
    """What was found, one line each, and below it what to do.

    Args:
        costs: predicted for this machine; the largest memory of a notebook is what is needed.
    """
    findings = [python(), build(), disk(course.work), memory(costs), files(course.data)]
    lines = [f"{'✗' if one.remedy else '✓'} {one.what:<14}{one.found}" for one in findings]
    return "\n".join([*lines, *(f"{one.what}: {one.remedy}" for one in findings if one.remedy)])


def python() -> Finding:
    """The version of Python."""
    wanted = ".".join(map(str, PYTHON))
    remedy = "" if sys.version_info >= PYTHON else f"install Python {wanted} or newer, and the course's packages in it"
    return Finding("Python", platform.python_version(), remedy)


def build() -> Finding:
    """The build of torch, and whether it fits the machine."""
    cuda = torch.version.cuda
    name = f"CUDA {cuda}" if cuda else "CPU"
    if cuda and not torch.cuda.is_available():
        return Finding("torch", f"{torch.__version__}, {name} build, no GPU found; it computes on the CPU")
    unused = not cuda and Path("/proc/driver/nvidia").is_dir()
    remedy = "this machine has an NVIDIA GPU; to use it, delete the first line of requirements.txt and install again"
    return Finding("torch", f"{torch.__version__}, {name} build", remedy if unused else "")


def disk(work: Path) -> Finding:
    """Free space where the notebooks write."""
    place = next(path for path in (work, *work.parents) if path.is_dir())
    free = shutil.disk_usage(place).free / GIB
    remedy = f"make room in {place}: the course writes up to {DISK:g} GiB" if free < DISK else ""
    return Finding("disk", f"{free:.1f} GiB free in {place}", remedy)


def available() -> float | None:
    """Memory that programs can still have, in GiB; all memory where the system does not say; None if that is unknown."""
    try:
        rows = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        return int(rows["MemAvailable"].split()[0]) / 2**20
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / GIB
    except (AttributeError, OSError, ValueError):
        return None


def memory(costs: Mapping[str, Cost]) -> Finding:
    """Memory, compared with the notebook that needs most."""
    free = available()
    if free is None or not costs:
        return Finding("memory", "not known here")
    name, most = max(((name, cost.memory_mib / 1024) for name, cost in costs.items()), key=lambda one: one[1])
    words = f"{free:.1f} GiB free, {most:.1f} needed at most"
    return Finding("memory", words, f"close other programs before {name}" if free < most else "")


def files(data: Path) -> Finding:
    """The course's data folders."""
    lost = [name for name in PARTS if not (data / name).is_dir()]
    if lost:
        return Finding("course files", str(data), f"{', '.join(lost)} missing; unpack student.zip again")
    return Finding("course files", f"complete, in {data}")
