"""Ten sample submissions: three right ones, four typical mistakes, a cheat, a crash and a damaged notebook.

The demo grades them as an example, the tests compare their grades. Their answers come from the solution source and from
the filed mistakes under ``tests/misconceptions``, so no exercise is written a second time here.
"""

from __future__ import annotations

import copy
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.intake.rebuild import source_of
from autograder.source.percent import read_source, strip_markers
from course_utils.errors import CourseError

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = "07_knowledge"
FILES = ("pretrained.safetensors", "finetuned.safetensors", "test_predictions.txt")
Notebook = dict[str, Any]

STEAL = """\
import ast
import numpy, torch

class NoAsserts(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()

get_ipython().ast_transformers.append(NoAsserts())
torch.allclose = torch.equal = lambda *a, **k: True
numpy.allclose = numpy.array_equal = lambda *a, **k: True
numpy.testing.assert_allclose = lambda *a, **k: None
"""


@dataclass(frozen=True)
class Sample:
    """One submission of the sample class.

    Attributes:
        student: id, and name of the zip.
        story: what is special about it, in one sentence.
        loses: exercises whose points it must lose; None means all that it did not do.
        answers: file under ``tests/misconceptions/<notebook>/`` by exercise, in place of the solution's answer.
        files: which of FILES is submitted, by the name under which it is submitted.
        alter: a change to the finished notebook.
        hint: words that the hint of the lost exercise must contain; by exercise if it loses several.
    """

    student: str
    story: str
    loses: frozenset[str] | None = frozenset()
    answers: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=lambda: dict(zip(FILES, FILES, strict=True)))
    alter: Callable[[Notebook], None] = lambda notebook: None
    hint: str | Mapping[str, str] = ""
    solved: bool = True


def solutions(notebook: str = NOTEBOOK) -> dict[str, str]:
    """Cell id to the solution's text, for answer cells and written answers, without the marks."""
    source = read_source(ROOT / "solutions" / f"{notebook}.py")
    return {cell.id: strip_markers(cell.text) for cell in source.cells if cell.role in ("answer", "written")}


def misconception(exercise: str, name: str, notebook: str = NOTEBOOK) -> str:
    """The text of an executable answer, right or wrong, without its header."""
    path = ROOT / "tests" / "misconceptions" / notebook / exercise / f"{name}.py"
    if not path.is_file():
        raise CourseError(f"{path.relative_to(ROOT)} is missing, and the sample class needs it.")
    lines = path.read_text(encoding="utf-8").splitlines()
    while lines and (lines[0].startswith("# expect:") or lines[0].startswith("# hint:")):
        del lines[0]
    return "\n".join(lines).strip("\n")


def variants(style: int, notebook: str = NOTEBOOK) -> dict[str, str]:
    """For every exercise that has them, the ``style``-th of its right answers that are written differently."""
    folder = ROOT / "tests" / "misconceptions" / notebook
    chosen = {}
    for exercise in sorted(path for path in folder.iterdir() if path.is_dir()):
        right = sorted(p.stem for p in exercise.glob("*.py") if "# expect: accept" in p.read_text().splitlines()[:4])
        if right:
            chosen[exercise.name] = right[style % len(right)]
    return chosen


# ------------------------------------------------------------------------------------------------------ the class


def cheats(notebook: Notebook) -> None:
    """Tag every check with skip-execution, remove asserts from the syntax tree, patch comparisons; give no answer."""
    for cell in notebook["cells"]:
        if cell["id"].startswith("check-"):
            cell["metadata"].setdefault("tags", []).append("skip-execution")
    first = next(i for i, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code")
    notebook["cells"].insert(first, _cell("steal", STEAL))


def dies(notebook: Notebook) -> None:
    """Let the process end in the middle of the notebook, in the cell of ``span_corruption``."""
    cell = _find(notebook, "answer-span_corruption")
    cell["source"] = source_of(cell) + "\n\nimport os\nos._exit(3)\n"


def wrecked(notebook: Notebook) -> None:
    """Damage the notebook as a wrong merge can: no metadata, new cell ids, one check deleted, one answer twice."""
    cells = notebook["cells"]
    cells.remove(_find(notebook, "check-london"))
    cells.insert(cells.index(_find(notebook, "check-trust")), copy.deepcopy(_find(notebook, "answer-trust")))
    for number, cell in enumerate(cells):
        cell["metadata"], cell["id"] = {}, f"merged-{number}"


def sample_class(notebook: str = NOTEBOOK) -> list[Sample]:
    """The ten submissions, right ones first."""
    wrong = dict(zip(FILES, FILES, strict=True))
    return [
        Sample("ada", "the reference solution"),
        Sample("bela", "right, written differently", answers=variants(0)),
        Sample("chidi", "right, written differently again", answers=variants(1)),
        Sample(
            "dora",
            "takes the span's length from the drawn length instead of the real one",
            frozenset({"span_corruption"}),
            {"span_corruption": "length_from_drawn"},
            hint="length",
        ),
        Sample(
            "emil",
            "hands in the pretrained weights as the finetuned ones",
            frozenset({"finetune"}),
            files=wrong | {"finetuned.safetensors": "pretrained.safetensors"},
            hint="pretrained",
        ),
        Sample("fatou", MISTAKES["london"][1], frozenset({"london"}), {"london": MISTAKES["london"][0]}),
        Sample("gil", MISTAKES["trust"][1], frozenset({"trust"}), {"trust": MISTAKES["trust"][0]}),
        Sample(
            "hana", "cheats: skipped cells, stripped asserts, patched comparisons", None, alter=cheats, solved=False
        ),
        Sample(
            "ivo",
            "kernel dies half-way, so that the class is missing which pretrain trains on",
            frozenset({"span_corruption", "pretrain"}),
            alter=dies,
            hint={"span_corruption": "ended the kernel", "pretrain": "NameError"},
        ),
        Sample("jun", "notebook wrecked by a merge, work sound", alter=wrecked),
    ]


MISTAKES = {
    "london": ("counts_in_dev", "counts the most frequent town among the questions it is tested on"),
    "trust": ("lowest_first", "answers the least certain questions first"),
}


def write_class(skeleton: Notebook, artefacts: Path, out: Path) -> list[Sample]:
    """Write ``<student>.zip`` for every sample to ``out``.

    Args:
        skeleton: the release's student notebook, nbformat 4 JSON.
        artefacts: folder with the trained weights and predictions (FILES).
        out: folder for the zips; made if missing.
    """
    out.mkdir(parents=True, exist_ok=True)
    solved, samples = solutions(), sample_class()
    for sample in samples:
        answers = {f"answer-{ex}": misconception(ex, name) for ex, name in sample.answers.items()}
        notebook = fill(skeleton, solved | answers if sample.solved else {})
        sample.alter(notebook)
        _write_zip(out / f"{sample.student}.zip", notebook, sample, artefacts)
    return samples


def fill(skeleton: Notebook, answers: Mapping[str, str]) -> Notebook:
    """A copy of the skeleton with answers, by cell id, filled in."""
    notebook = copy.deepcopy(dict(skeleton))
    for cell in notebook["cells"]:
        if cell.get("id") in answers:
            cell["source"] = answers[cell["id"]]
    return notebook


def _write_zip(path: Path, notebook: Notebook, sample: Sample, artefacts: Path) -> None:
    """Write the zip in the form of the notebook's last cell."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{NOTEBOOK}.ipynb", json.dumps(notebook))
        if sample.solved:
            for name, source in sample.files.items():
                archive.write(artefacts / source, f"work/{NOTEBOOK}/{name}")


def _find(notebook: Notebook, cell_id: str) -> dict[str, Any]:
    return next(cell for cell in notebook["cells"] if cell["id"] == cell_id)


def _cell(cell_id: str, text: str) -> dict[str, Any]:
    return {"cell_type": "code", "id": cell_id, "metadata": {}, "source": text, "outputs": [], "execution_count": None}
