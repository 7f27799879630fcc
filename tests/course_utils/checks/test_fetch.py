"""Tools that fetch: only marked ones are found, always from their file."""

from __future__ import annotations

import math

import pytest
import torch

from course_utils.checks import fetch, span_samples
from course_utils.checks.asking import require_each
from course_utils.checks.compare import CheckFailed
from course_utils.checks.fetch import fetcher
from course_utils.checks.selfcheck import StudentError, student
from course_utils.errors import CourseError


@pytest.mark.parametrize(
    "path",
    [
        "course_utils.lessons.knowledge.changed",
        "course_utils.checks.fetch.nothing",
        "course_utils.nowhere.f",
        "os.path.join",
        "slopes",
        "course_utils..fetch.slopes",
    ],
)
def test_what_is_not_marked_is_no_tool(path):
    with pytest.raises(CourseError):
        fetcher(path)


def test_a_tool_comes_from_its_file_whatever_became_of_the_module(monkeypatch):
    monkeypatch.setattr(fetch, "_loaded", {})
    monkeypatch.setattr(span_samples, "draws", lambda *_: "forged")
    assert fetcher("course_utils.checks.span_samples.draws")([(torch.ones(1), torch.ones(1))], [0])[0].shape == (1, 1)
    fetcher("course_utils.lessons.knowledge_probes.trained")  # a module with dataclasses
    assert span_samples.draws() == "forged"  # the notebook's own module is as it was


def test_gradients_are_asked_of_each_argument_alone():
    def only_with_x(x, y):
        with torch.set_grad_enabled(x.requires_grad):
            return 2 * x + 3 * y

    given, part = [torch.ones(1), torch.ones(1)], math.cos(0.3)
    found = fetcher("course_utils.checks.fetch.slopes")(only_with_x, given, [1, 0])
    assert [one.item() for one in found["together"]] == pytest.approx([3 * part, 2 * part])
    assert found["alone"][0] is None and found["alone"][1].item() == pytest.approx(2 * part)
    with pytest.raises(CheckFailed, match="argument 2 alone"):
        require_each(found, [1, 0])
    assert not any(one.requires_grad for one in given)


def test_the_local_student_has_tools_too(monkeypatch):
    monkeypatch.setattr("course_utils.checks.student.namespace", lambda: {"cube": lambda x: x**3})
    (slope,) = student.tool("course_utils.checks.fetch.slopes")(student.cube, [torch.full((1,), 2.0)], [0])
    assert slope.item() == pytest.approx(12 * math.cos(0.3))
    monkeypatch.setattr("course_utils.checks.student.namespace", lambda: {"f": lambda x: 1 / 0})
    with pytest.raises(StudentError, match="ZeroDivisionError"):
        student.tool("course_utils.checks.fetch.slopes")(student.f, [torch.ones(1)], [0])
