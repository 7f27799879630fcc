"""Which hand-ins are the same work: code counts letter by letter, text without trailing space."""

from __future__ import annotations

import pytest

from autograder.intake.rebuild import notebook_sha


@pytest.mark.parametrize(
    ("kind", "one", "other", "same"),
    [
        ("markdown", "an answer", "an answer   \n", True),
        ("markdown", "an answer", "another", False),
        ("code", "x = 1", "x = 1", True),
        ("code", 'x = """a  \nb"""', 'x = """a\nb"""', False),
        ("code", "x = 'a\x0cb'", "x = 'a\x1cb'", False),
        ("code", "%%writefile a.txt\nb  \n", "%%writefile a.txt\nb\n", False),
        ("code", "x = 1 + \\\n1", "x = 1 + \\ \n1", False),
        ("code", "    #c\nx = '''\n    a'''", "#c\nx = '''\n    a'''", False),  # IPython takes indentation away
    ],
)
def test_work_is_the_same_only_where_it_runs_alike(kind: str, one: str, other: str, same: bool) -> None:
    cells = ({"cell_type": kind, "metadata": {}, "source": text} for text in (one, other))
    first, second = (notebook_sha({"cells": [cell]}) for cell in cells)
    assert (first == second) is same
