"""Model answer and rubric beside a written answer on the formgrader's page of a submission, and on no other page."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell
from traitlets import Unicode

from autograder.pages.marking import SCRIPT, STYLE
from autograder.pages.prose import Ready, prose_html
from autograder.records import in_points
from autograder.release.read import read_json
from autograder.source.percent import SOLUTION, regions
from course_utils.errors import CourseError

WRITTEN = "written-"
LINE = re.compile(r"(?:^|(?<=[;.:,\n]))\s*\((\d{1,2})\)\s+")  # not the 2 of "f(2) is"
WEIGHT = re.compile(r"\[(\d{1,3}(?:\.\d{1,3})?)\]\s*")


@dataclass(frozen=True)
class ModelAnswer:
    """What an instructor compares an answer with.

    Attributes:
        lines: of the rubric.
        remark: what follows the lines.
        weights: of the lines; a line is worth its weight's share of ``points``. Empty: all are worth the same.
    """

    cell: str
    points: float
    text: str
    lines: tuple[str, ...] = ()
    remark: str = ""
    weights: tuple[float, ...] = ()

    @property
    def shares(self) -> list[float]:
        """Points of each line."""
        weights = self.weights or (1.0,) * len(self.lines)
        return [self.points * weight / sum(weights) for weight in weights]


def model_answer(cell: Mapping[str, Any]) -> ModelAnswer | None:
    """Model answer and rubric of a written answer's cell in a source notebook; None where there is none."""
    about = cell["metadata"].get("nbgrader", {})
    key = str(about.get("grade_id", ""))
    source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
    try:
        text = "\n".join(region.text for region in regions(source, SOLUTION)).strip()
    except CourseError:
        return None
    if not key.startswith(WRITTEN) or not text:
        return None
    model, _, rubric = text.partition("Rubric:")
    lines, remark = _lines(rubric.strip())
    lines, weights = _weighed(lines)
    return ModelAnswer(key, float(about.get("points", 0)), model.strip(), lines, remark, weights)


def _weighed(lines: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Lines without the weights in brackets at their beginnings, and these weights; 1 where a line has none."""
    found = [WEIGHT.match(line) for line in lines]
    weights = tuple(float(one[1]) if one else 1.0 for one in found)
    bare = tuple(line[one.end() :] if one else line for line, one in zip(lines, found, strict=True))
    return bare, weights if any(found) and sum(weights) > 0 else ()


def _lines(rubric: str) -> tuple[tuple[str, ...], str]:
    """The lines (1), (2), … of a rubric, and what follows them in further lines of text."""
    marks, expected = [], 1
    for found in LINE.finditer(rubric):
        if int(found[1]) == expected:
            marks.append(found)
            expected += 1
    if not marks:
        return (), rubric
    ends = [*(found.start() for found in marks[1:]), len(rubric)]
    texts = [rubric[found.end() : end] for found, end in zip(marks, ends, strict=True)]
    last, _, remark = texts[-1].partition("\n")
    return tuple(text.strip().rstrip(";").strip() for text in [*texts[:-1], last]), remark.strip()


def head_html(cells: Sequence[tuple[str, float]]) -> str:
    """Style and script of the page, and links to its written answers. They are ticked when they are marked.

    Args:
        cells: id and points of each written answer.
    """
    links = "".join(
        f'<a href="#{html.escape(cell)}">{html.escape(cell.removeprefix(WRITTEN))} ({points:g})<span></span></a>'
        for cell, points in cells
    )
    nav = f'<nav class="course-answers" aria-label="Written answers">Written answers: {links}</nav>' if links else ""
    return f"{nav}<style>{STYLE}</style>"


def model_html(model: ModelAnswer) -> str:
    """The box as HTML; all texts are sanitised as a student's are."""
    tick = '<input type="checkbox" class="tabbable" data-share="{:.6g}">'  # nbgrader's tab key goes to these
    rows = "".join(
        f"<label>{tick.format(share)}<span>{_words(line)}</span> <b>{round(share, 2):g}</b></label>"
        for line, share in zip(model.lines, model.shares, strict=True)
    )
    head = f"<h4>Rubric: {len(model.lines)} lines, {in_points(model.points)}</h4>" if model.lines else ""
    remark = prose_html(model.remark) if model.remark else ""
    title = html.escape(model.cell.removeprefix(WRITTEN))
    about = f'data-cell="{html.escape(model.cell)}" data-points="{model.points:g}"'
    # nbgrader scrolls to the box of its class that holds what has the focus, and to the top where there is none
    box = f'<aside class="course-model nbgrader_cell" aria-label="Model answer of {title}" {about}>'
    note = '<p class="note" role="status" hidden></p>'
    return f"{box}<h4>Model answer</h4>{prose_html(model.text)}{head}{rows}{note}{remark}</aside>"


def _words(line: str) -> str:
    """A line's text without the paragraph around it."""
    return re.sub(r"^\s*<p>(.*)</p>\s*$", r"\1", prose_html(line), flags=re.S)


def _ours(key: str, text: str) -> NotebookNode:
    cell = new_markdown_cell(id=key)
    cell.source = Ready(text)
    return cell


class ModelAnswers(Preprocessor):
    """A preprocessor that puts model answers behind the written answers of the page where one submission is marked.

    Links to them stand before the answers.

    nbgrader's handler of that page alone gives ``submission_id`` and ``index``: feedback and other conversions do not.
    """

    course = Unicode("", help="The nbgrader course with the source notebooks.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Add cells to ``nb``."""
        if not self.course or not resources.get("submission_id") or "index" not in resources:
            return nb, resources
        models = self._models(str(resources.get("assignment_id", "")))
        about = [(cell, cell.metadata.get("nbgrader", {})) for cell in nb.cells if cell.cell_type == "markdown"]
        written = [(str(mark["grade_id"]), float(mark.get("points", 0))) for _, mark in about if mark.get("grade")]
        cells: list[Any] = [_ours("course-head", head_html(written))]
        for cell in nb.cells:
            cells.append(cell)
            model = models.get(str(cell.metadata.get("nbgrader", {}).get("grade_id", "")))
            if model and cell.cell_type == "markdown":
                cells.append(_ours(f"model-{len(cells)}", model_html(model)))
        # behind all cells, which the script looks for
        nb.cells = [*cells, _ours("course-script", f"<script>{SCRIPT}</script>")]
        return nb, resources

    def _models(self, assignment: str) -> dict[str, ModelAnswer]:
        known = {path.name: path / f"{path.name}.ipynb" for path in (Path(self.course) / "source").glob("*")}
        if assignment not in known or not known[assignment].is_file():
            return {}
        found = map(model_answer, read_json(known[assignment])["cells"])
        return {model.cell: model for model in found if model}
