"""What notebook 00 reports: this machine, and what each notebook will compute on it."""

from __future__ import annotations

import os
import platform

import torch

from course_utils.config import PROFILES
from course_utils.errors import CourseError
from course_utils.notebook import Course
from course_utils.runtime import pick_engine

# Minutes for all cells of a solved notebook, first run, as each notebook's opening states them.
COSTS: dict[str, dict[str, float]] = {
    "01 Attention by hand": {"laptop": 1, "colab": 1, "h200": 1},
    "02 The blocks of a Transformer": {"laptop": 1, "colab": 1, "h200": 1},
    "03 Positions": {"laptop": 1, "colab": 1, "h200": 1},
    "04 Counting": {"laptop": 0.5, "colab": 0.5, "h200": 0.5},
    "05 Transfer learning": {"laptop": 2, "colab": 2, "h200": 1.5},
    "06 Four ways to pretrain": {"laptop": 4, "colab": 3, "h200": 2},
    "07 Knowledge": {"laptop": 4, "colab": 10, "h200": 1},
    "08 Other attentions": {"laptop": 4, "colab": 46, "h200": 2},
}


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


def plan(profile: str) -> str:
    """The minutes of every notebook on machines of this profile, as a table. Raises CourseError for an unknown profile."""
    column = "colab" if profile == "handout" else profile  # the same sizes
    if any(column not in cost for cost in COSTS.values()):
        raise CourseError(f"There is no profile {profile!r}; choose one of {', '.join(PROFILES)}.")
    lines = [f"{name:<34}{cost[column]:>4g} min" for name, cost in COSTS.items()]
    return "\n".join(["computing time on this kind of machine", *lines])
