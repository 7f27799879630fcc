"""Tools that fetch: only marked ones are found, always from their file, and what they bring back is compared here."""

from __future__ import annotations

import copy
import random

import pytest
import torch

from course_utils.checks import fetch, span_samples
from course_utils.checks.fetch import called, fetcher, unchanged, untouched
from course_utils.checks.selfcheck import StudentError, student
from course_utils.errors import CourseError


@pytest.mark.parametrize(
    "path",
    [
        "course_utils.lessons.knowledge.changed",
        "course_utils.checks.fetch.nothing",
        "course_utils.nowhere.f",
        "os.path.join",
        "called",
        "course_utils..fetch.called",
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


def test_a_change_in_place_is_seen_whatever_the_argument_is():
    def adds(x, y):
        x += y
        return x

    cases = [
        (adds, (torch.ones(2), torch.ones(2)), False),
        (lambda rows, n: rows.sort(), ([3, 1, 2], 5), False),
        (lambda table: table["a"].append(1), ({"a": []},), False),
        (lambda rows: rows[0].append(1), ([[1], [2]],), False),
        (lambda x: x.requires_grad_(False), (torch.ones(2),), True),
        (lambda rows, rng: rng.shuffle(list(rows)), ([3, 1, 2], random.Random(0)), True),
    ]
    for call, sent, kept in cases:
        assert unchanged(called(call, *copy.deepcopy(sent)), sent) == kept


def test_a_list_is_compared_with_what_was_sent():
    rows = [3, 1, 2]
    got = called(lambda given: given.sort(), list(rows))
    assert not unchanged(got, [rows]) and unchanged({"arguments": [[3, 1, 2]]}, [rows])
    for forged in (
        None,
        {},
        {"arguments": 3},
        {"arguments": []},
        {"arguments": [torch.ones(3)]},
        {"arguments": [None]},
    ):
        assert not unchanged(forged, [rows])


def test_the_local_student_has_tools_too(monkeypatch):
    monkeypatch.setattr("course_utils.checks.student.namespace", lambda: {"spoil": lambda x: x.add_(1)})
    got = student.tool("course_utils.checks.fetch.called")(student.spoil, torch.zeros(2))
    assert got["result"].tolist() == [1, 1] and got["arguments"][0].tolist() == [1, 1]
    assert not untouched(student, student.spoil, torch.zeros(2))
    with pytest.raises(StudentError, match="ZeroDivisionError"):
        monkeypatch.setattr("course_utils.checks.student.namespace", lambda: {"f": lambda: 1 / 0})
        student.tool("course_utils.checks.fetch.called")(student.f)
