"""Run of a solution notebook on other data than the course's own, as for a student who changes the line that names it.

    python -m benchmarks.experiments.real_data 05_transfer FOLDER     # train.review.spm, train.label, dev…, dict.txt
    python -m benchmarks.experiments.real_data 07_knowledge FOLDER    # wiki.txt, birth_places_train.tsv, birth_dev.tsv,
                                                                      # birth_test_inputs.tsv

Every cell runs as for a student, with the machine's profile. The notebook's printed text is shown, and the executed
notebook is written to build/real_data/. The data are not copied.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from nbformat import NotebookNode

from autograder.source.build import notebook_bytes, read_sources, source_notebook
from autograder.source.rendering import executed
from benchmarks.paths import ROOT
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

HOURS = 6  # time limit of one cell
# The line of each notebook that names its data, without the folder.
PARAMETER = {
    "05_transfer": 'REVIEWS = course.data / "reviews"',
    "07_knowledge": 'world = course.data / "world"',
    "08_other_attentions": 'world = course.data / "world"',
}


def on(notebook: NotebookNode, name: str, folder: Path) -> NotebookNode:
    """The notebook with the line of PARAMETER changed to the folder. Raises CourseError unless it occurs exactly once."""
    line = PARAMETER.get(name)
    holders = [cell for cell in notebook.cells if line is not None and line in cell.source]
    if line is None or sum(cell.source.count(line) for cell in holders) != 1:
        raise CourseError(f"{name} has no single line that names its data; choose among {', '.join(PARAMETER)}.")
    cell = holders[0]
    cell.source = cell.source.replace(line, f"{line.split(' = ')[0]} = Path({str(folder.resolve())!r})")
    return notebook


def printed(notebook: NotebookNode) -> str:
    """All text that the cells printed to standard output."""
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", ())]
    return "".join(o["text"] for o in outputs if o.get("output_type") == "stream" and o.get("name") == "stdout")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the notebook and print its printed text; 2 for bad input or a cell that fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("notebook", choices=PARAMETER)
    parser.add_argument("folder", type=Path, help="with files of the names and form of data/world or data/reviews")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build" / "real_data", help="where the executed notebook goes"
    )
    options = parser.parse_args(argv)
    try:
        if not options.folder.is_dir():
            raise CourseError(f"{options.folder} is not a folder; name the one that holds the data.")
        (source,) = read_sources(ROOT / "solutions", [options.notebook])
        notebook = on(source_notebook(source), source.name, options.folder)
        with tempfile.TemporaryDirectory() as aside:
            done, cost = executed(notebook, source, Path(aside), strict=False, cell_seconds=HOURS * 3600)
        options.out.mkdir(parents=True, exist_ok=True)
        write_atomically(options.out / f"{source.name}.ipynb", notebook_bytes(done))
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    print(printed(done))
    print(f"{source.name} on {options.folder}: {cost.seconds / 60:.1f} minutes, {cost.memory_mib:.0f} MiB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
