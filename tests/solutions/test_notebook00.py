"""Notebook 00 promises minutes, points and hours: they are those of the record and of the notebooks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from autograder.source.build import source_notebook
from autograder.source.percent import read_source, source_paths, total_points
from course_utils.config import PROFILES
from course_utils.notebook import device_report as start_tools
from course_utils.notebook.session import Course
from tests.paths import ROOT

SOLUTIONS = ROOT / "solutions"
SOURCES = {source.name[:2]: source for source in map(read_source, source_paths(SOLUTIONS)) if source.name[:2] != "00"}
DATA = ROOT / "data"


def test_the_plan_has_every_notebook_and_scales_with_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = Course("00_start", DATA, tmp_path / "work" / "00_start", PROFILES["laptop"], torch.device("cpu"))
    plans = []
    for seconds in (0.1, 0.3):
        monkeypatch.setattr(start_tools, "calibration", lambda course, names, _, s=seconds: dict.fromkeys(names, s))
        plans.append(start_tools.plan(course))
    assert {name[:2] for name in plans[0]} == set(SOURCES)
    for name, cost in plans[0].items():
        assert plans[1][name].minutes == pytest.approx(3 * cost.minutes)
    assert len(start_tools.format_report(plans[0]).splitlines()) == len(plans[0]) + 2


def test_the_map_has_each_notebooks_points_and_hours() -> None:
    """It is compiled in; the student's notebook shows one row for every notebook with points."""
    shown = "".join(cell.source for cell in source_notebook(read_source(SOLUTIONS / "00_start.py")).cells)
    rows = re.findall(r"^\| (\d\d) [^|]*\|[^|]*\| ([\d.]+) \| ([\d.]+) h \|$", shown, re.MULTILINE)
    assert [row[0] for row in rows] == sorted(SOURCES)
    for number, points, hours in rows:
        source = SOURCES[number]
        assert float(points) == total_points(source.cells)
        assert abs(60 * float(hours) - sum(cell.marks["minutes"] for cell in source.graded())) <= 15
