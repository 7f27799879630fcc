"""The report of notebook 00: this machine, and the time and memory that each notebook will take on it."""

from __future__ import annotations

import os
import platform

import torch

from course_utils.config import PROFILES
from course_utils.engine.engine import pick_engine
from course_utils.notebook.cost_table import measured, spoken
from course_utils.notebook.costs import Cost, calibration, predict
from course_utils.notebook.session import Course


def machine(course: Course) -> str:
    """Device, number format, threads and versions, one per line."""
    engine = pick_engine(course.device)
    name = torch.cuda.get_device_name(course.device) if course.device.type == "cuda" else platform.machine()
    rows = {
        "device": f"{course.device.type} ({name})",
        "matrix products in": str(engine.dtype).removeprefix("torch."),
        "threads": f"{torch.get_num_threads()} of {os.cpu_count()} processors",
        "Python, torch": f"{platform.python_version()}, {torch.__version__}",
        "profile": f"{course.profile.name} (of {', '.join(PROFILES)})",
    }
    return "\n".join(f"{key:<20}{value}" for key, value in rows.items())


def plan(course: Course, seconds: float = 10.0) -> dict[str, Cost]:
    """The predicted Cost of every notebook on this machine, by name, from a calibration of at most ``seconds``."""
    notebooks = measured(course.data)["notebooks"]
    here = calibration(course, sorted({piece for entry in notebooks.values() for piece in entry["pieces"]}), seconds)
    return {name: predict(name, course.data, here, course.profile, seconds) for name in sorted(notebooks)}


def format_report(plan: dict[str, Cost]) -> str:
    """The plan as a table, with its sum."""
    lines = [f"{name:<22}{spoken(cost.minutes):>12}{cost.memory_mib / 1024:>7.1f} GiB" for name, cost in plan.items()]
    total = spoken(sum(cost.minutes for cost in plan.values()))
    return "\n".join(["computing time and memory on this machine", *lines, f"{'all':<22}{total:>12}"])
