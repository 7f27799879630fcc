"""Descriptions of figures: each is used by one notebook, and a cell gives exactly the values that it names."""

from __future__ import annotations

import ast
import string

import pytest

from autograder.source.percent import python, read_source, source_paths
from course_utils.errors import CourseError
from course_utils.lessons.figures import FIGURES, alt_text
from tests.paths import ROOT


def uses() -> dict[str, set[str]]:
    """Figure -> names of the values that its cell gives."""
    found: dict[str, set[str]] = {}
    for path in source_paths(ROOT / "solutions"):
        trees = [python(cell.text) for cell in read_source(path).cells if cell.role == "code"]
        for call in (node for tree in trees if tree for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if ast.unparse(call.func) == "alt_text":
                name = ast.literal_eval(call.args[0])
                assert name.startswith(path.name[:2]) and name not in found
                found[name] = {str(keyword.arg) for keyword in call.keywords}
    return found


def test_every_description_is_used_and_gets_the_values_that_it_names():
    named = {
        name: {field for _, field, _, _ in string.Formatter().parse(text) if field} for name, text in FIGURES.items()
    }
    assert uses() == named


def test_values_are_put_in_and_a_missing_one_is_a_sentence():
    assert alt_text("07_bars_accuracy_people", told="vanilla 97 %").endswith(": vanilla 97 %.")
    with pytest.raises(CourseError, match="needs the value told"):
        alt_text("07_bars_accuracy_people")
    with pytest.raises(CourseError, match="no figure 09_none"):
        alt_text("09_none")
