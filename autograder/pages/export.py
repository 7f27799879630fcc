"""Preprocessor, filters and exporter with which nbconvert and nbgrader show a student's notebook safely."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any

from markupsafe import escape
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.ansi import ansi2html
from nbconvert.preprocessors import Preprocessor
from nbformat.notebooknode import NotebookNode, from_dict
from traitlets.config import Config

from autograder.pages.ansi import inert_ansi
from autograder.pages.colour import code_cell_html
from autograder.pages.inert import inert_cell, inert_name, inert_output
from autograder.pages.markup import clean_html
from autograder.pages.policy import static_page
from autograder.pages.prose import prose_html

PLAIN = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
WORDS = re.compile(r"[^\w.:@+-]+")
SHOWN = ("student", "first_name", "last_name", "assignment_id", "notebook_id", "submission_id", "notebook_path")


def _plain_mark(mark: Mapping[str, Any]) -> dict[str, Any]:
    """nbgrader's metadata of a cell with plain characters only, since templates put them into HTML attributes."""
    return {key: WORDS.sub("_", value) if isinstance(value, str) else value for key, value in mark.items()}


def inert_notebook(nb: NotebookNode) -> NotebookNode:
    """Make a whole notebook inert, in place: written answers, outputs, metadata. Code cells keep their text."""
    nb.metadata = from_dict({**PLAIN, "language_info": {"name": "python"}})
    for cell in nb.cells:
        inert_cell(cell)
        if cell.cell_type == "code":
            cell.execution_count = None  # templates do not escape it
            outputs = [from_dict(inert_output(output)) for output in cell.outputs]
            cell.outputs = [output for output in outputs if output.get("data", True)]  # drop displays left empty
        mark = cell.metadata.get("nbgrader")
        cell.metadata = from_dict({"nbgrader": _plain_mark(mark)} if isinstance(mark, Mapping) else {})
    return nb


class InertNotebook(Preprocessor):
    """A preprocessor that makes a notebook inert before nbgrader stores it and again before the formgrader shows it."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Clean ``nb`` in place, and the names that a template would show."""
        for key in SHOWN:
            if isinstance(resources.get(key), str):
                resources[key] = inert_name(resources[key])
        return inert_notebook(nb), resources


def ansi_html(text: str) -> str:
    """As nbconvert's ``ansi2html``, of any text: HTML with the colours of a text, or without them if they cannot be read."""
    try:
        return str(ansi2html(inert_ansi(text)))
    except Exception:  # a form of colour that is not known to end nbconvert
        return str(escape(inert_ansi(text, 0)))


FILTERS = {
    "markdown2html": prose_html,
    "clean_html": clean_html,
    "highlight_code": code_cell_html,
    "ansi2html": ansi_html,
}


class StaticHTML(HTMLExporter):
    """An exporter to a page without any script, that loads nothing from elsewhere; formulas are MathML."""

    def default_filters(self) -> Any:
        """nbconvert's filters, with FILTERS for those that produce HTML."""
        yield from super().default_filters()
        yield from FILTERS.items()

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **kwargs: Any) -> tuple[Any, Any]:
        """As HTMLExporter, of an inert copy of ``nb``."""
        nb = inert_notebook(copy.deepcopy(nb))
        self.filters = {**self.filters, "highlight_code": code_cell_html}  # else HTMLExporter takes its own
        # what stands on the page of one submission, for the person who marks, is for no other page
        resources = {key: value for key, value in (resources or {}).items() if key != "submission_id"}
        page, resources = super().from_notebook_node(nb, resources, **kwargs)
        return static_page(page), resources


def configure_pages(c: Config) -> None:
    """Apply FILTERS to every page that nbconvert makes under this configuration, those of the formgrader included."""
    c.HTMLExporter.filters = {name: f"{function.__module__}.{function.__name__}" for name, function in FILTERS.items()}
    c.HTMLExporter.preprocessors = ["autograder.pages.export.InertNotebook"]
    for address in ("mathjax_url", "require_js_url", "jquery_url"):
        setattr(c.HTMLExporter, address, "")
    c.HTMLExporter.exclude_anchor_links = True
