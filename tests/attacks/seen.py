"""What reaches a student beside our own feedback page: the exports that an instructor uploads, and nbgrader's page."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbgrader
from nbformat.notebooknode import NotebookNode, from_dict
from nbgrader.utils import is_grade, is_solution
from traitlets.config import Config

from autograder.grading.gradebook import StripHidden, write_outputs
from autograder.intake.discover import Intake
from autograder.pages.export import StaticHTML, configure_pages
from autograder.records import Result
from autograder.reports.class_report import StudentRow
from autograder.reports.exports import FORMATS, Table
from autograder.reports.feedback import rows_of, totals
from tests.attacks import toy

FORMGRADER = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader"
STYLES = FORMGRADER / "static" / "node_modules" / "bootstrap" / "dist" / "css"


def exported(result: Result, intake: Intake) -> list[str]:
    """The lines of this student in every format."""
    rows = rows_of(result, intake.notebook, {})
    student = StudentRow(result.student, rows, *totals(rows), notes=list(intake.notes))
    return [to_text(Table(result.assignment, [student])) for to_text in FORMATS.values()]


@functools.cache
def exporter() -> StaticHTML:
    """What nbgrader makes feedback with under a release's configuration."""
    config = Config()
    configure_pages(config)
    config.HTMLExporter.template_name = "feedback"
    config.HTMLExporter.extra_template_basedirs = [str(FORMGRADER / "templates")]
    config.HTMLExporter.extra_template_paths = [str(STYLES)]
    return StaticHTML(config=config)


def graded(cells: Sequence[dict[str, Any]], result: Result, points: float) -> NotebookNode:
    """The notebook as nbgrader has it after autograding: outputs, verdicts, scores."""
    book = toy.marked({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [dict(one) for one in cells]})
    nb = from_dict(book)
    for cell in nb.cells:
        if "nbgrader" in cell.metadata and is_grade(cell):
            cell.metadata.nbgrader["points"] = points
    write_outputs(nb, result)
    for cell in nb.cells:  # as nbgrader's GetGrades, which reads both from the gradebook
        if "nbgrader" in cell.metadata and is_grade(cell):
            cell.metadata.nbgrader["score"] = result.points
        elif "nbgrader" in cell.metadata and is_solution(cell):
            cell.metadata.nbgrader["comment"] = ""
    return nb


def nbgrader_page(cells: Sequence[dict[str, Any]], result: Result, points: float) -> str:
    """nbgrader's own feedback page of one exercise."""
    nb, _ = StripHidden().preprocess(graded(cells, result, points), {})
    marks = {"score": result.points, "max_score": points, "late_penalty": 0, "notebook": result.assignment}
    place = {"student": result.student, "assignment": result.assignment, **marks}
    page, _ = exporter().from_notebook_node(nb, {"nbgrader": place, "metadata": {"name": result.assignment}})
    return str(page)
