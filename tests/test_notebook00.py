"""Notebook 00 promises minutes, points and hours: they are those that the notebooks themselves state."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autograder.percent import Source, read_source, source_paths, total_points
from course_utils.start_tools import COSTS

SOLUTIONS = Path(__file__).parents[1] / "solutions"
SOURCES = {source.name[:2]: source for source in map(read_source, source_paths(SOLUTIONS)) if source.name[:2] != "00"}
STATED = re.compile(r"(half a|a|\d+) (second|minute)")
PROFILES = ("laptop", "colab", "h200")


def minutes(cell: str, before: float) -> float:
    """What a cell of an opening's table states, such as "about 30 seconds"; "the same" repeats the column before."""
    found = STATED.search(cell)
    if found is None:
        assert "the same" in cell, f"no minutes in {cell!r}"
        return before
    amount = {"half a": 0.5, "a": 1.0}.get(found[1]) or float(found[1])
    return amount / 60 if found[2] == "second" else amount


def opening(source: Source) -> dict[str, float]:
    """Minutes per profile: the sum over the rows of the opening's table, or the one sentence in its place."""
    text = source.cells[0].text
    rows = [line.split("|")[2:5] for line in text.splitlines() if line.count("|") == 5 and STATED.search(line)]
    if not rows:
        rows = [[text[text.index("All cells together") :]] * 3]
    totals = dict.fromkeys(PROFILES, 0.0)
    for row in rows:
        stated = 0.0
        for profile, cell in zip(PROFILES, row, strict=True):
            stated = minutes(cell, stated)
            totals[profile] += stated
    return totals


@pytest.mark.parametrize("number", SOURCES)
def test_the_plan_says_what_the_notebooks_opening_says(number: str) -> None:
    plan = next(cost for name, cost in COSTS.items() if name.startswith(number))
    assert plan == pytest.approx(opening(SOURCES[number]), abs=0.1)


@pytest.mark.parametrize("number", SOURCES)
def test_the_map_has_each_notebooks_points_and_hours(number: str) -> None:
    text = "".join(cell.text for cell in read_source(SOLUTIONS / "00_start.py").cells)
    row = re.search(rf"^(?:# )?\| {number} [^|]*\|[^|]*\| ([\d.]+) \| ([\d.]+) h \|$", text, re.MULTILINE)
    assert row, f"no row of notebook {number} with points and hours in the map"
    source = SOURCES[number]
    assert float(row[1]) == total_points(source.cells)
    assert abs(60 * float(row[2]) - sum(cell.marks["minutes"] for cell in source.graded())) <= 35
