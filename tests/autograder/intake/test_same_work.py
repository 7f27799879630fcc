"""Which hand-ins are the same work: trailing space counts where Python or IPython can tell it."""

from __future__ import annotations

import pytest

from autograder.intake.rebuild import notebook_sha
from tests.autograder.tiny_course import solved


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x = 1", "x = 1   ", True),
        ("def f():   \n    return 1\n", "def f():\n    return 1", True),
        ('x = """a  \nb"""', 'x = """a\nb"""', False),
        ("x = 'a\x0cb'", "x = 'a\x1cb'", False),
        ("%%writefile a.txt\nb  \n", "%%writefile a.txt\nb\n", False),
        ("x = 1 + \\\n1", "x = 1 + \\ \n1", False),
    ],
)
def test_work_is_the_same_only_where_it_means_the_same(one: str, other: str, same: bool) -> None:
    found = []
    for text in (one, other):
        notebook = solved()
        notebook["cells"][2]["source"] = text
        found.append(notebook_sha(notebook))
    assert (found[0] == found[1]) is same
