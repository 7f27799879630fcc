"""Everything that is imported is declared in pyproject, in the group of those who import it."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from autograder.source.percent import python, read_source
from tests.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
OURS = {"course_utils", "autograder", "benchmarks", "solutions", "tests"}
INSTALLED = importlib.metadata.packages_distributions()
# Groups that a folder may count on; "" is what a student installs. Sources are for students but for their hidden parts.
GROUPS = {
    "course_utils": ("",),
    "autograder": ("", "grader", "dask"),
    "solutions": ("", "grader"),
    "benchmarks": ("", "grader", "dev", "bench"),
    "tests": ("", "grader", "dev", "dask"),
}


def normal(name: str) -> str:
    """A distribution's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(groups: Iterable[str]) -> set[str]:
    """Distributions that these groups install, groups that they name in brackets too."""
    found: set[str] = set()
    for group in groups:
        for need in EXTRAS.get(group, []) if group else PROJECT["dependencies"]:
            name, inner = re.match(r"([A-Za-z0-9._-]+)(?:\[(.*)\])?", need).groups()
            found |= declared(inner.split(",")) if inner else {normal(name)}
    return found


def trees(path: Path) -> list[ast.AST]:
    """The syntax trees of a module, or of a source's code cells."""
    if path.parent == ROOT / "solutions" and path.name[0].isdigit():
        found = [python(cell.text) for cell in read_source(path).cells if cell.is_code]
        return [tree for tree in found if tree is not None]
    return [ast.parse(path.read_text(encoding="utf-8"))]


def imported(path: Path) -> set[str]:
    """Top-level names that a file imports from elsewhere, imports inside functions too."""
    nodes = [node for tree in trees(path) for node in ast.walk(tree)]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    neighbours = {item.stem for item in path.parent.iterdir()}  # inside a sandbox the agent's folder is on the path
    return {name.split(".")[0] for name in names} - OURS - set(sys.stdlib_module_names) - neighbours


def undeclared(path: Path, groups: Iterable[str]) -> Iterator[str]:
    """Imports of a file that no distribution of the groups brings. A name that is not installed here is taken literally."""
    known = declared(groups)
    for name in sorted(imported(path)):
        if not known & {normal(dist) for dist in INSTALLED.get(name, [name])}:
            yield name


ANSWERS = "tests/misconceptions"  # two thousand files, which students' cells might be


@pytest.mark.parametrize("folder", [*GROUPS, pytest.param(ANSWERS, marks=pytest.mark.slow)])
def test_what_is_imported_is_declared(folder: str) -> None:
    files = [path for path in sorted((ROOT / folder).rglob("*.py")) if path.name != "artefacts.py"]
    if folder == "tests":
        files = [path for path in files if not path.is_relative_to(ROOT / ANSWERS)]
    assert files
    groups = GROUPS[folder.split("/")[0]]
    missing = {str(path.relative_to(ROOT)): names for path in files if (names := [*undeclared(path, groups)])}
    assert not missing, f"declare it in pyproject.toml, with its reason: {missing}"


def test_an_import_that_nobody_declares_is_found(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n")
    path = tmp_path / "some.py"
    path.write_text("import json, numpy.linalg\nfrom . import a\nimport mine\ndef f():\n    from pytest import x, y\n")
    assert imported(path) == {"numpy", "pytest"}
    assert list(undeclared(path, [""])) == ["pytest"] and list(undeclared(path, ["", "dev"])) == []
    path.write_text("import yaml, PIL.Image, IPython, not_installed_anywhere\n")
    names = {name: normal(INSTALLED[name][0]) for name in ("yaml", "PIL", "IPython")}
    assert names == {"yaml": "pyyaml", "PIL": "pillow", "IPython": "ipython"}
    assert "not_installed_anywhere" in undeclared(path, list(EXTRAS))


def test_every_extra_belongs_to_somebody() -> None:
    used = {group for groups in GROUPS.values() for group in groups if group}
    assert used == set(EXTRAS), "an extra that no folder counts on, or a folder that counts on none that exists"
    assert declared(["dev"]) >= declared(["grader"])
