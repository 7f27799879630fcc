"""Tables that are put into notebooks: its exercises, what it costs, and what is reached on real data."""

from __future__ import annotations

import json

from autograder.source.covered import declaration, is_declared
from autograder.source.percent import Source, total_points
from course_utils.errors import CourseError
from course_utils.notebook.cost_table import measured, memory_on, minutes_on, spoken

CPU_NOTE = (
    "Minutes are yours. CPU time is the machine's, for all cells of the exercise's section, solved, measured on a laptop "
    "without a GPU; two busy cores count twice."
)
REAL_COLUMNS = {
    "recipe": "notebook and training",
    "right": "dev people answered",
    "compare": "to compare",
    "runs": "runs",
    "cost": "cost",
}
REAL_KEYS = (*REAL_COLUMNS, "source")  # students do not have the file that a source names


def exercise_map(source: Source) -> str:
    """A markdown table of the notebook's exercises with points, minutes, difficulty and CPU time, and totals."""
    rows = ["| exercise | points | minutes | difficulty | CPU time |", "|---|---:|---:|---|---:|"]
    cpu = _cpu_seconds(source)
    for cell in source.graded():
        marks, by_hand = cell.marks, " (written)" if cell.role == "written" else ""
        stars = f"{'●' * marks['difficulty']}{'○' * (3 - marks['difficulty'])} {marks['difficulty']} of 3"
        took = spoken_cpu(cpu[cell.exercise]) if cell.exercise in cpu else "–"
        rows.append(f"| `{cell.exercise}`{by_hand} | {marks['points']:g} | {marks['minutes']:g} | {stars} | {took} |")
    minutes, total = (
        sum(cell.marks["minutes"] for cell in source.graded()),
        spoken_cpu(sum(cpu.values())) if cpu else "–",
    )
    rows.append(f"| **total** | **{total_points(source.cells):g}** | **{minutes:g}** | | **{total}** |")
    return "\n".join([*rows, "", CPU_NOTE, *_promised(source)])


def _promised(source: Source) -> list[str]:
    """What holds for every exercise whose check is made of promises, and which of them give parts of their points."""
    cells = [cell for cell in source.cells if is_declared(cell)]
    if not cells:
        return []
    rules = dict.fromkeys(trouble.rule for cell in cells for trouble in declaration(cell).always)
    lines = ["", "Unless an exercise says otherwise:", "", *(f"- {rule}" for rule in rules)]
    parted = {cell.exercise: shares for cell in cells if (shares := declaration(cell).shares)}
    if parted:
        lines += [
            "",
            "Points in parts: where your own check shows that one function is wrong or not written yet, the others keep "
            "their share. A function that calls another one of its exercise is judged with it.",
            "",
        ]
    for exercise, shares in parted.items():
        lines.append(f"- `{exercise}`: " + ", ".join(f"{part} {share:.0%}" for part, share in shares.items()))
    return lines


def _cpu_seconds(source: Source) -> dict[str, float]:
    """CPU seconds by exercise from data/measured/costs.json; empty for a notebook that was not measured."""
    data = source.path.parents[1] / "data"
    if not (data / "measured" / "costs.json").is_file():
        return {}
    return dict(measured(data)["notebooks"].get(source.name, {}).get("exercises", {}))


def spoken_cpu(seconds: float) -> str:
    """A CPU time for a narrow column: in whole seconds below two minutes, else in minutes."""
    if seconds < 1:
        return "< 1 s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def costs_table(source: Source) -> str:
    """A markdown table of what the notebook takes, from data/measured/costs.json.

    Raises:
        CourseError: the notebook was not measured.
    """
    entry = measured(source.path.parents[1] / "data")["notebooks"].get(source.name)
    if entry is None:
        raise CourseError(
            f"{source.name} is not in data/measured/costs.json: run `python -m benchmarks.costs {source.name}`."
        )
    times = [entry["seconds"] / 60, *(minutes_on(kind, entry) for kind in ("colab", "h200"))]
    sizes = [entry["memory_mib"] / 1024, *(memory_on(kind, entry) for kind in ("colab", "h200"))]
    return "\n".join(
        [
            "| what it costs | laptop, no GPU (measured) | T4 (predicted) | H200 (predicted) |",
            "|---|---|---|---|",
            "| all cells, solved, first run | " + " | ".join(map(spoken, times)) + " |",
            "| memory | " + " | ".join(f"{size:.1f} GiB" for size in sizes) + " |",
        ]
    )


def real_data_table(source: Source) -> str:
    """A markdown table of what notebooks 07 and 08 give on the original's data, from data/measured/real_data.json.

    Every row names its source, which is not shown; ``python -m benchmarks.claims --check`` compares each number with it.

    Raises:
        CourseError: the file cannot be read, or a row lacks a column.
    """
    path = source.path.parents[1] / "data" / "measured" / "real_data.json"
    try:
        rows = [[row[key] for key in REAL_KEYS] for row in json.loads(path.read_text(encoding="utf-8"))["rows"]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise CourseError(f"{path} cannot be read ({error!r}); every row needs {', '.join(REAL_KEYS)}.") from None
    lines = [list(REAL_COLUMNS.values()), ["---"] * len(REAL_COLUMNS), *(row[:-1] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
