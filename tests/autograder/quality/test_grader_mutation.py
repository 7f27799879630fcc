"""The lines that the mutation of the grader changes are there, and its verdicts are right. (``make mutate-grader`` runs it.)"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.quality import grader_mutation
from autograder.quality.grader_mutation import CHANGES, Change, Found, pytest_in, try_changes, weakened
from course_utils.errors import CourseError
from tests.paths import ROOT

TESTS = (
    "from grader import points\n\ndef test_points():\n    assert points(7) == 1\n\ndef test_other():\n    assert True\n"
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "autograder").mkdir()
    (tmp_path / "autograder" / "grader.py").write_text("def points(x):\n    return min(x, 1)\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text("import sys\nsys.path.insert(0, 'autograder')\n" + TESTS)
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    return tmp_path


def change(new: str = "return x", only: str = "", old: str = "return min(x, 1)") -> Change:
    return Change("the clamp", "autograder/grader.py", old, new, "tests/test_it.py", only)


@pytest.mark.parametrize("one", CHANGES, ids=lambda one: one.name)
def test_every_line_stands_once_and_its_change_is_python(one: Change) -> None:
    text = weakened((ROOT / one.path).read_text(encoding="utf-8"), one)
    assert ast.dump(ast.parse(text)) != ast.dump(ast.parse((ROOT / one.path).read_text(encoding="utf-8")))
    assert (ROOT / one.tests).is_file()


@pytest.mark.parametrize("one", CHANGES, ids=lambda one: one.name)
def test_quick_tests_of_that_part_are_there(one: Change) -> None:
    """Each word of a ``-k`` expression names a test that ``make test`` runs."""
    parsed = ast.parse((ROOT / one.tests).read_text(encoding="utf-8")).body
    functions = [each for each in parsed if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")]
    quick = [each.name for each in functions if "slow" not in "".join(map(ast.unparse, each.decorator_list))]
    assert all(any(word in name for name in quick) for word in one.only.split(" or "))


def test_what_decides_points_is_weakened_under_names_of_its_own() -> None:
    """The checks of all notebooks are declared: these modules judge them."""
    assert len({one.name for one in CHANGES}) == len(CHANGES) >= 20
    judging = {"judge/promised", "checks/agree", "checks/compare", "checks/draws", "checks/promises", "checks/trouble"}
    assert judging <= {"/".join(Path(one.path).with_suffix("").parts[-2:]) for one in CHANGES}


def test_tests_that_fail_have_noticed_and_tests_that_pass_have_not(tree: Path) -> None:
    before = (tree / "autograder" / "grader.py").read_text()
    found = list(try_changes(tree, [change(), change(new="return min(1, x)")]))
    assert [one.noticed for one in found] == [True, False]
    assert "1 failed" in found[0].said and (tree / "autograder" / "grader.py").read_text() == before


def test_a_line_that_is_gone_or_doubled_is_named_before_anything_runs(tree: Path) -> None:
    def never(folder: Path, one: Change) -> tuple[int, str]:
        raise AssertionError("nothing may run")

    for old, count in (("return nothing", 0), ("x", 2)):
        with pytest.raises(CourseError, match=rf"is there {count} times, not once; name the line .*the clamp"):
            list(try_changes(tree, [change(), change(old=old)], never))


def test_tests_that_fail_anyway_or_do_not_run_prove_nothing(tree: Path) -> None:
    with pytest.raises(CourseError, match=r"does not pass on the unchanged tree"):
        list(try_changes(tree, [change(only="no_such_test")]))
    (tree / "tests" / "test_it.py").write_text("def test_it():\n    assert False\n")
    with pytest.raises(CourseError, match="does not pass on the unchanged tree"):
        list(try_changes(tree, [change()]))
    codes = iter([0, 4])
    with pytest.raises(CourseError, match="could not be run with the change"):
        list(try_changes(tree, [change()], lambda folder, one: (next(codes), "usage")))


def test_the_unchanged_tree_is_tested_once_for_each_file(tree: Path) -> None:
    """With the tests of all changes of this file; a change whose tests are the whole file takes the others in."""
    asked: list[tuple[str, bool]] = []

    def run(folder: Path, one: Change) -> tuple[int, str]:
        weak = "min(x, 1)" not in (folder / "autograder" / "grader.py").read_text()
        asked.append((one.only, weak))
        return int(weak), "said"

    assert all(one.noticed for one in try_changes(tree, [change(only="points"), change(only="other")], run))
    assert asked == [("points or other", False), ("points", True), ("other", True)]
    asked.clear()
    assert len(list(try_changes(tree, [change(only="points"), change()], run))) == 2 and asked[0] == ("", False)


def test_tests_that_hang_have_noticed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "tests" / "test_it.py").write_text("import time\n\ndef test_it():\n    time.sleep(60)\n")
    monkeypatch.setattr(grader_mutation, "LIMIT", 2.0)
    assert pytest_in(tree, change())[0] == 124


def test_the_command_ends_with_the_verdict(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def tried(root: Path, changes: list[Change]) -> Iterator[Found]:
        for one in changes:
            weakened((root / one.path).read_text(), one)
            yield Found(one.name, one.path, not one.only, 1.0, "said")

    monkeypatch.setattr(grader_mutation, "ROOT", tree)
    monkeypatch.setattr(grader_mutation, "try_changes", tried)
    for changes, code in (([change()], 0), ([change(), change(only="other")], 1), ([change(old="gone")], 2), ([], 1)):
        monkeypatch.setattr(grader_mutation, "CHANGES", changes)
        assert grader_mutation.main(["--json", str(tmp_path / "found.json")]) == code
    shown = capsys.readouterr()
    assert "1 of 2 changes noticed" in shown.out and "✗ NOT noticed" in shown.out and "gone" in shown.err
    assert len(json.loads((tmp_path / "found.json").read_text())) == 2
