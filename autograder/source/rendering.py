"""Solution notebooks, executed, as ipynb and HTML for the instructor."""

from __future__ import annotations

import functools
import multiprocessing
import os
import resource
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode
from tqdm import tqdm

from autograder.pages.export import StaticHTML
from autograder.source.build import notebook_bytes, read_sources, source_notebook
from autograder.source.cpu_time import CellClock, cpu_by_exercise
from autograder.source.percent import HIDDEN, Source, without
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

CELL_SECONDS = 900  # time limit of a cell of a solution notebook
TRAINS = 5.0  # a cell of at least so many seconds counts as training; imports, figures and checks take less


@dataclass(frozen=True)
class Run:
    """Measurements of a whole notebook: seconds from the kernel's start to its end, and its peak resident memory in MiB.

    ``training`` is the sum over its cells of TRAINS seconds or more, without the first, which imports. ``cpu`` has the CPU
    seconds of each exercise's cells.
    """

    seconds: float
    memory_mib: float
    training: float = 0.0
    cpu: Mapping[str, float] = field(default_factory=dict)


def render_solutions(
    source_dir: Path, out: Path, *, execute: bool = False, names: Sequence[str] | None = None
) -> list[Path]:
    """Write the solution notebooks (answers, hidden tests, model answers) as ipynb and HTML for instructors.

    Args:
        execute: run them first, without the hidden parts, which need the judge; a failing check or cell raises.

    Raises:
        CourseError: problems in the sources, or a cell that fails.
    """
    sources, written = read_sources(Path(source_dir), names), []
    Path(out).mkdir(parents=True, exist_ok=True)
    for source in tqdm(sources, desc="solutions", disable=None):
        notebook = source_notebook(source)
        if execute:
            notebook, cost = executed(notebook, source, Path(out))
            tqdm.write(f"{source.name}: {cost.seconds:.0f} s, {cost.memory_mib:.0f} MiB")
        path = Path(out) / f"{source.name}.ipynb"
        write_atomically(path, notebook_bytes(notebook))
        # without scripts: the pages open offline, and no output of a cell can be active
        html, _ = StaticHTML().from_notebook_node(notebook)
        write_atomically(path.with_suffix(".html"), html)
        written += [path, path.with_suffix(".html")]
    return written


def executed(
    notebook: NotebookNode, source: Source, folder: Path, *, strict: bool = True, cell_seconds: int = CELL_SECONDS
) -> tuple[NotebookNode, Run]:
    """The notebook with outputs, run in ``folder`` without the hidden parts of its checks, and the run's measurements.

    Args:
        strict: a check that fails stops the run; else it prints its hint as for a student.

    Raises:
        CourseError: a cell fails or takes too long.
    """
    # in a separate process: two kernel clients in one process were seen to block each other, and memory is per process
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        work = functools.partial(_execute, strict=strict, cell_seconds=cell_seconds)
        text, cost = pool.submit(work, nbformat.writes(notebook), source, folder).result()
    return nbformat.reads(text, as_version=4), cost


def _execute(text: str, source: Source, folder: Path, *, strict: bool, cell_seconds: int) -> tuple[str, Run]:
    """Fill in the outputs of all code cells."""
    notebook = nbformat.reads(text, as_version=4)
    full = [cell.source for cell in notebook.cells]
    for cell in notebook.cells:
        if cell.metadata.get("course", {}).get("role") == "check":
            cell.source = without(cell.source, HIDDEN)
    # the last cell, which makes the zip, reads this file
    write_atomically(folder / f"{source.name}.ipynb", notebook_bytes(notebook))
    cost = _run_cells(notebook, source, folder, strict=strict, cell_seconds=cell_seconds)
    for cell, text in zip(notebook.cells, full, strict=True):
        cell.source = text
        cell.metadata.pop("execution", None)  # the time of the run would change the bytes
    return nbformat.writes(notebook), cost


def _run_cells(notebook: NotebookNode, source: Source, folder: Path, *, strict: bool, cell_seconds: int) -> Run:
    """Run all cells in place."""
    home = str(Path(__file__).resolve().parents[2])
    env = {**os.environ, "COURSE_DIR": os.environ.get("COURSE_DIR", home)}
    env |= {"NBGRADER_EXECUTION": "validate"} if strict else {}
    place = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=cell_seconds, kernel_name="python3", resources=place)
    # No widgets: a client that answers their messages was seen to miss the end of a cell and to wait for ever.
    client.comm_open_handlers.clear()
    clock, start = CellClock(client), time.monotonic()
    try:
        client.execute(env=env)
    except CellTimeoutError as error:
        raise CourseError(f"{source.path}: a cell takes more than {cell_seconds} s: {error}") from error
    except CellExecutionError as error:
        raise CourseError(f"{source.path}: a cell fails: {error.ename}: {error.evalue}") from error
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024  # KiB; the kernel has ended
    seconds = time.monotonic() - start
    return Run(seconds, memory, _training(notebook), cpu_by_exercise(notebook.cells, clock.spent))


def _training(notebook: NotebookNode) -> float:
    """Seconds of the cells that train, by the clock of the kernel."""
    ends = ("iopub.status.busy", "iopub.status.idle")
    spans = [cell.metadata.get("execution", {}) for cell in notebook.cells if cell.cell_type == "code"]
    pairs = [[datetime.fromisoformat(span[end]) for end in ends] for span in spans[1:] if set(ends) <= set(span)]
    taken = [(idle - busy).total_seconds() for busy, idle in pairs]
    return sum(seconds for seconds in taken if seconds >= TRAINS)
