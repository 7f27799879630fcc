"""How tests are dealt out to processes: a file whose tests were scattered made its fixtures in each of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.autograder.quality.test_misconceptions import EXERCISES
from tests.conftest import MISCONCEPTIONS, pytest_collection_modifyitems, together
from tests.paths import ROOT

EMPTY = "test_an_empty_cell_earns_nothing"
MANY = """import time
import pytest

@pytest.mark.parametrize("number", range(6))
def test_some(number):
    time.sleep(0.05)

@pytest.mark.parametrize("notebook", ["01_attention", "02_blocks"])
def test_an_empty_cell_earns_nothing(notebook):
    time.sleep(0.05)
"""


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a.py::test_x", "a.py::test_y[02_blocks]", True),
        ("a.py::test_x", "b.py::test_x", False),
        (f"a.py::{EMPTY}[01_attention-heads]", "a.py::test_x", False),
        (f"a.py::{EMPTY}[01_attention-heads]", f"a.py::{EMPTY}[02_blocks-a]", False),
        (f"a.py::{EMPTY}[01_attention-heads]", f"a.py::{EMPTY}[01_attention-b]", True),
        (f"a.py::{MISCONCEPTIONS}[{EXERCISES[0]}]", f"a.py::{MISCONCEPTIONS}[{EXERCISES[1]}]", False),
    ],
)
def test_what_stays_together(one: str, other: str, same: bool) -> None:
    assert (together(one) == together(other)) is same


def test_the_answers_of_every_exercise_are_a_test() -> None:
    assert len({*EXERCISES}) == 64


@pytest.mark.parametrize(
    ("until", "words", "named"), [("1", "1 skipped", True), ("9e9", "1 passed", False)], ids=["over", "there is time"]
)
def test_slow_tests_begin_while_there_is_time_and_are_named_else(until: str, words: str, named: bool) -> None:
    name = "tests/course_utils/corpora/test_world.py::test_there_are_24_towns_of_two_syllables_no_two_beginning_alike"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "1", "-p", "no:cacheprovider", "-m", "slow", name],
        cwd=ROOT, env={**os.environ, "SLOW_TESTS_UNTIL": until}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert words in done.stdout, done.stdout
    assert ("1 SLOW TESTS NOT RUN" in done.stdout and f"\n{name}[" in done.stdout) is named


@dataclass(frozen=True)
class Item:
    """A test as pytest has collected it."""

    path: Path
    originalname: str = "test_x"
    slow: bool = False

    def get_closest_marker(self, name: str) -> bool:
        return self.slow


def test_the_longest_work_is_dealt_out_first() -> None:
    at = (ROOT / "tests" / "autograder").joinpath
    first, then = Item(at("test_demo.py"), slow=True), Item(at("judge", "test_no_answer.py"), EMPTY, slow=True)
    quick, listed, other = Item(then.path, EMPTY), Item(at("judge", "test_judge.py")), Item(at("test_ansi.py"))
    items: list[Any] = [other, quick, listed, then, first]
    pytest_collection_modifyitems(items)
    assert items == [first, then, listed, quick, other]


def test_no_file_is_scattered_over_processes(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_xdist_make_scheduler\n")
    for name in ("test_a.py", "test_b.py", "test_c.py"):
        (tmp_path / name).write_text(MANY)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-n",
        "3",
        "--dist",
        "loadfile",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        ".",
    ]
    done = subprocess.run(
        [*command, "."],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.findall(r"\[(gw\d)\].* PASSED (\S+)", done.stdout)
    assert len(found) == 24, done.stdout + done.stderr
    where: dict[str, set[str]] = {}
    for worker, nodeid in found:
        where.setdefault(together(nodeid), set()).add(worker)
    assert len(where) == 9 and all(len(workers) == 1 for workers in where.values()), where
    assert len({worker for worker, _ in found}) > 1, "the work is dealt out"
