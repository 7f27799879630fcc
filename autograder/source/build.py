"""The compiler: from a source in percent format to nbgrader's source notebook, and from that to the student's notebook.

Two builds are byte-identical: cell ids are derived from exercise ids, and no property of the machine or time is included.
"""

from __future__ import annotations

import ast
import copy
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LockCells,
)
from traitlets.config import Config

from autograder.records import in_points
from autograder.source.after_restart import remarked
from autograder.source.lint import MAP_MARKER, leaks, require_clean
from autograder.source.percent import (
    FIRST_CELL_MARKER,
    SOLUTION,
    Cell,
    Source,
    owners,
    python,
    read_source,
    regions,
    source_paths,
    total_points,
)
from autograder.source.tables import costs_table, exercise_map, real_data_table
from autograder.source.tallies import course_map, current_readme
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

COSTS_MARKER = "<!-- costs -->"
COURSE_MARKER = "<!-- course-map -->"
REAL_MARKER = "<!-- real-data -->"
TEXT_STUB = "*Write your answer here.*"
FUNCTION_STUB = '# Write your code here, and delete the next line.\nraise NotImplementedError("not written yet")'
# In a class body a bare `raise` would stop the notebook; so the class is defined, and making an object of it raises.
CLASS_STUB = (
    "# Write your code here, and delete the next two lines.\n"
    "def __init__(self, *args, **kwargs):\n"
    '    raise NotImplementedError("not written yet")'
)
AGAIN = "run python -m autograder build"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
FIRST_CELL = """\
# Finds the course's files. On Colab: upload student.zip first (folder symbol on the left),
# then run this cell.
import importlib.util, os, sys, zipfile
from pathlib import Path

_places = [Path(os.environ.get("COURSE_DIR", ".")), Path.cwd(), *Path.cwd().parents, Path("student")]
if Path("student.zip").is_file() and not any((place / "course_utils").is_dir() for place in _places):
    zipfile.ZipFile("student.zip").extractall()
sys.path[:0] = [str(place.resolve()) for place in _places if (place / "course_utils").is_dir()][:1]
if importlib.util.find_spec("course_utils") is None:
    _where = "put this notebook into the course's notebooks folder, or student.zip beside it"
    raise FileNotFoundError(f"course_utils: {_where}")"""


class StaleError(CourseError):
    """The notebooks differ from what the sources give: a negative result and not bad input (exit code 1)."""


class ClearAnswers(ClearSolutions):
    """nbgrader's ClearSolutions with stubs that let an unsolved notebook define its names and run on."""

    def preprocess_cell(self, cell: NotebookNode, resources: Any, cell_index: int) -> tuple[NotebookNode, Any]:
        """Clear one cell, with the stub for a class body or for a function."""
        self.text_stub = TEXT_STUB
        self.code_stub = {"python": stub_for(cell.source) if cell.cell_type == "code" else ""}
        return super().preprocess_cell(cell, resources, cell_index)


STUDENT_STEPS = (
    LockCells,
    ClearAnswers,
    ClearOutput,
    ClearHiddenTests,
    ClearMarkScheme,
    ComputeChecksums,
    CheckCellMetadata,
)


def stub_for(text: str) -> str:
    """The stub for an answer cell: CLASS_STUB if its solution is in a class body, else FUNCTION_STUB."""
    tree = python(text)
    in_class = tree is not None and any(ast.ClassDef in owners(tree, region) for region in regions(text, SOLUTION))
    return CLASS_STUB if in_class else FUNCTION_STUB


def source_notebook(source: Source) -> NotebookNode:
    """The nbgrader source notebook (solutions and hidden tests included) of a clean source."""
    cells = [_notebook_cell(cell, source) for cell in source.cells]
    metadata = {
        "course": {"notebook": source.name, "points": total_points(source.cells)},
        "kernelspec": dict(KERNEL),
        "language_info": {"name": "python"},
    }
    notebook = new_notebook(cells=cells, metadata=metadata)
    notebook.nbformat_minor = 5
    nbformat.validate(notebook)
    return notebook


def _notebook_cell(cell: Cell, source: Source) -> NotebookNode:
    text = cell.text.replace(MAP_MARKER, exercise_map(source)) if cell.role == "prose" else cell.text
    if cell.role == "prose" and COSTS_MARKER in text:
        text = text.replace(COSTS_MARKER, costs_table(source))
    if cell.role == "prose" and COURSE_MARKER in text:
        text = text.replace(COURSE_MARKER, course_map([read_source(path) for path in source_paths(source.path.parent)]))
    if cell.role == "prose" and REAL_MARKER in text:
        text = text.replace(REAL_MARKER, real_data_table(source))
    if cell.role == "code":
        text = text.replace(FIRST_CELL_MARKER, FIRST_CELL)
    text = remarked(text) if cell.is_code else text
    make = new_code_cell if cell.is_code else new_markdown_cell
    return make(source=text, id=cell.id, metadata=_metadata(cell))


def _metadata(cell: Cell) -> dict[str, Any]:
    tags = {"tags": cell.marks["tags"]} if "tags" in cell.marks else {}
    if not cell.exercise:
        return tags
    about = {"exercise": cell.exercise, "role": cell.role}
    about |= {key: cell.marks[key] for key in ("minutes", "difficulty", "timeout") if key in cell.marks}
    grading = {
        "grade": cell.graded,
        "grade_id": cell.id,
        "locked": cell.role == "check",
        "schema_version": 3,
        "solution": cell.role in ("answer", "written"),
        "task": False,
    }
    grading |= {"points": cell.marks["points"]} if cell.graded else {}
    return {"course": about, "nbgrader": grading, **tags}


def student_notebook(source: Source, notebook: NotebookNode | None = None) -> NotebookNode:
    """The student's version: stubs for answers, no hidden tests, no outputs, checks locked.

    Raises:
        CourseError: something hidden can still be read in it, or a cleared answer is not valid Python.
    """
    student = copy.deepcopy(notebook or source_notebook(source))
    resources: dict[str, Any] = {}
    for step in STUDENT_STEPS:
        student, resources = step(config=Config()).preprocess(student, resources)
    texts = [cell.source for cell in student.cells]
    problems = leaks(source, texts) + _broken(source, student)
    if problems:
        raise CourseError("\n".join(problems))
    return student


def _broken(source: Source, student: NotebookNode) -> list[str]:
    pairs = zip(source.cells, student.cells, strict=True)
    return [
        f"{source.path}, line {cell.line}: without its solution, {cell.exercise} is not valid Python"
        for cell, made in pairs
        if cell.role in ("answer", "check") and python(made.source) is None
    ]


def notebook_bytes(notebook: NotebookNode) -> bytes:
    """The bytes of a notebook in one fixed form: sorted keys, one space of indent, a final newline."""
    return (json.dumps(notebook, sort_keys=True, indent=1, ensure_ascii=False) + "\n").encode("utf-8")


def read_sources(source_dir: Path, names: Sequence[str] | None = None) -> list[Source]:
    """The clean sources of a folder (all, or those named). Raises CourseError with every problem of the whole course."""
    paths = source_paths(source_dir)
    known = [path.stem for path in paths]
    missing = sorted(set(names or []) - set(known))
    if missing:  # said before all sources are read, which takes a while
        raise CourseError(f"{source_dir}: there is no source {missing[0]}.py; the notebooks are {', '.join(known)}")
    sources = [read_source(path) for path in paths]
    require_clean(sources)
    return [source for source in sources if names is None or source.name in names]


def build(source_dir: Path, out_dir: Path, *, check: bool = False) -> list[Path]:
    """Compile all sources of ``source_dir`` to student notebooks in ``out_dir``, and write README's table.

    If one source has a problem, nothing is written.

    Args:
        check: write nothing; raise unless ``out_dir`` and README hold exactly what would be written.

    Returns:
        The notebooks' paths.

    Raises:
        CourseError: problems in the sources; with ``check``, notebooks or a table that differ.
    """
    out_dir, sources = Path(out_dir), read_sources(Path(source_dir))
    made = {f"{s.name}.ipynb": notebook_bytes(student_notebook(s)) for s in sources}
    readme = current_readme(source_dir, sources)
    if check:
        _require_current(out_dir, made)
        if readme and readme[1] != readme[2]:
            raise StaleError(f"{readme[0]}: the table of notebooks is not as the sources give; {AGAIN}")
    else:
        if readme and readme[1] != readme[2]:
            write_atomically(readme[0], readme[2])
        with replace_folder(out_dir, keep=lambda path: path.suffix != ".ipynb") as aside:
            for name, content in made.items():
                (aside / name).write_bytes(content)
    return [out_dir / name for name in made]


def _require_current(out_dir: Path, made: dict[str, bytes]) -> None:
    there = {path.name: path.read_bytes() for path in out_dir.glob("*.ipynb")}
    stale = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    if stale:
        raise StaleError(f"{out_dir}: {', '.join(stale)} not as the sources give; {AGAIN}")


@contextmanager
def replace_folder(target: Path, keep: Callable[[Path], bool] = lambda path: False) -> Iterator[Path]:
    """A new folder beside ``target`` that replaces it when the block ends without an error; else ``target`` is unchanged.

    Args:
        keep: whether an entry of the old folder moves to the new one (a rebuild must not delete a student's work).

    Raises:
        CourseError: the folder cannot be written.
    """
    target = Path(target).absolute()
    old = target.with_name(f".{target.name}.old")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _recover(old, target, keep)
        aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.new-", dir=target.parent))
    except OSError as error:
        raise CourseError(f"{target}: cannot be written ({error.strerror}); choose another folder") from error
    try:
        aside.chmod(0o755)  # mkdtemp is private, a course folder is not
        yield aside
        _swap(aside, target, old, keep)
    except OSError as error:
        raise CourseError(f"{target}: not written ({error}); what was there before is still there") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _swap(aside: Path, target: Path, old: Path, keep: Callable[[Path], bool]) -> None:
    for path in aside.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    if target.exists():
        target.rename(old)
    try:
        aside.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    _recover(old, target, keep)


def _recover(old: Path, target: Path, keep: Callable[[Path], bool]) -> None:
    """Finish a replacement, also after a crash: restore the old folder, or move the entries to keep into the new one."""
    if not old.exists():
        return
    if not target.exists():
        old.rename(target)
        return
    for path in old.iterdir():
        if keep(path) and not (target / path.name).exists():
            path.rename(target / path.name)
    shutil.rmtree(old)


def student_is_solution_minus_answers(source_nb: NotebookNode, student_nb: NotebookNode) -> bool:
    """Whether the student version is the source without answers and hidden tests, and otherwise unchanged."""
    return not differences(source_nb, student_nb)


def differences(source_nb: NotebookNode, student_nb: NotebookNode) -> list[str]:
    """Other differences, as sentences; written independently of the compiler, so that a test can compare the two."""
    if [cell.id for cell in source_nb.cells] != [cell.id for cell in student_nb.cells]:
        return ["the cells are not the same"]
    found = [] if source_nb.metadata == student_nb.metadata else ["the notebook's metadata differ"]
    for source, student in zip(source_nb.cells, student_nb.cells, strict=True):
        if student.source != _cleared(source):
            found.append(f"{source.id}: the text differs")
        if _bare(student) != _bare(source) or student.get("outputs") or student.get("execution_count"):
            found.append(f"{source.id}: metadata, type or outputs differ")
    return found


def _cleared(cell: NotebookNode) -> str:
    stub = stub_for(cell.source) if cell.cell_type == "code" else TEXT_STUB
    solution = re.compile(r"^([ \t]*)[^\n]*BEGIN SOLUTION.*?END SOLUTION[^\n]*$", re.MULTILINE | re.DOTALL)
    hidden = re.compile(r"^[^\n]*BEGIN HIDDEN TESTS.*?END HIDDEN TESTS[^\n]*(\n|\Z)", re.MULTILINE | re.DOTALL)
    text = solution.sub(lambda found: "\n".join(found[1] + line for line in stub.split("\n")), cell.source)
    cut = hidden.sub("", text)
    return cut.removesuffix("\n") if cut != text and not text.endswith("\n") else cut


def _bare(cell: NotebookNode) -> tuple[str, dict[str, Any]]:
    metadata = {key: value for key, value in cell.metadata.items() if key not in ("deletable", "editable")}
    if "nbgrader" in metadata:
        metadata["nbgrader"] = {
            key: value for key, value in metadata["nbgrader"].items() if key not in ("checksum", "cell_type")
        }
    return cell.cell_type, metadata


def summary(source_dir: Path) -> str:
    """One line per notebook and a total: exercises, points, minutes."""
    sources = read_sources(Path(source_dir))
    lines = []
    for source in sources:
        graded = source.graded()
        minutes = sum(cell.marks["minutes"] for cell in graded)
        lines.append(f"{source.name}: {len(graded)} exercises, {in_points(total_points(graded))}, {minutes:g} minutes")
    return "\n".join([*lines, f"course: {in_points(sum(total_points(source.cells) for source in sources))}"])
