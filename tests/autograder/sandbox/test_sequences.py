"""Sequences of the student's own kinds: opened alike in the notebook and in the sandbox, there in one round trip a depth."""

from __future__ import annotations

from typing import Any

import pytest

from autograder.sandbox.kernel import Kernel
from autograder.sandbox.kernel import Student as Remote
from course_utils.checks import asking
from course_utils.checks.asking import is_handle, opened
from course_utils.checks.compare import CheckFailed
from course_utils.checks.student import Student, StudentError

CELL = '''
from typing import NamedTuple

class Pair(NamedTuple):
    ids: list
    label: int

class Row(list):
    pass

class Odd:
    """Has a length, but no entries that could be read."""
    def __len__(self):
        return 3

class Leaves:
    """Ends the process that asks for its length, if it is let."""
    def __len__(self):
        raise SystemExit

class Turns:
    """Holds itself."""
    def __len__(self):
        return 1
    def __getitem__(self, index):
        return self

many = [Pair([k, k + 1], k % 2) for k in range(200)]
nested = Row([Pair(Row([1, 2]), 0), (3, Row([4]))])
mixed = [Odd(), 7, Pair([5], 1), Leaves()]
turns = Turns()
long = Row(range(1000))
'''


@pytest.fixture(params=["notebook", "sandbox"])
def student(request: pytest.FixtureRequest) -> Any:
    if request.param == "notebook":
        names: dict[str, Any] = {}
        exec(CELL, names)
        return Student(lambda: names)
    kernel = request.getfixturevalue("kernel")
    kernel.run_cell(CELL)
    return Remote(kernel)


def test_named_tuples_and_lists_of_a_class_are_opened(student: Any) -> None:
    assert opened(student.many) == [([k, k + 1], k % 2) for k in range(200)]
    assert opened(student.nested) == (((1, 2), 0), (3, (4,)))


def test_what_is_no_sequence_stays_a_handle(student: Any) -> None:
    odd, seven, pair, leaves = opened(student.mixed)
    assert is_handle(odd) and is_handle(leaves) and seven == 7 and pair == ([5], 1)


def test_what_holds_itself_is_not_opened_for_ever(student: Any) -> None:
    depth, value = 0, opened(student.turns)
    while type(value) is tuple:
        depth, value = depth + 1, value[0]
    assert depth == asking.DEEPEST and is_handle(value)


def test_too_many_entries_are_refused(student: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(opened(student.long)) == 1000
    monkeypatch.setattr(asking, "MOST_ENTRIES", 999)
    with pytest.raises(CheckFailed, match="too many entries"):
        opened(student.long)
    monkeypatch.setattr(asking, "MOST_ENTRIES", 300)  # 200 tuples of two entries
    with pytest.raises(CheckFailed, match="too many entries"):
        opened(student.many)


def test_two_hundred_named_tuples_are_one_round_trip(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel.run_cell(CELL)
    many, asked, ask = Remote(kernel).many, [], kernel.ask
    monkeypatch.setattr(
        kernel, "ask", lambda verb, *rest, **options: (asked.append(verb), ask(verb, *rest, **options))[1]
    )
    assert len(opened(many)) == 200 and asked == ["entries"]


@pytest.mark.parametrize("reply", [[], [[1], [2]], "text", [-1.5], [-1], [7], [{"a": 1}], [["a", "b"], 3]])
def test_replies_of_another_form_are_refused(kernel: Kernel, monkeypatch: pytest.MonkeyPatch, reply: Any) -> None:
    """As a process would send them that the student's code controls."""
    kernel.run_cell(CELL)
    turns = Remote(kernel).turns
    monkeypatch.setattr(kernel, "ask", lambda *request, **options: reply)
    with pytest.raises((StudentError, CheckFailed)):
        opened(turns)
