"""House rules that a machine can hold: who knows whom, and how long a page may be."""

from __future__ import annotations

import ast
import graphlib
import importlib
import re
import tomllib

import grimp
import pytest

from autograder.source.percent import python, read_source
from tests.paths import ROOT

FOLDERS = ("course_utils", "autograder", "solutions/reference", "benchmarks")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
IDS = [str(path.relative_to(ROOT)) for path in FILES]
STUDENT = {"torch", "numpy", "matplotlib", "tqdm", "safetensors", "IPython", "ipywidgets", "course_utils"}


def imported(tree: ast.AST) -> set[str]:
    """Top-level names of all imports, those inside functions too."""
    names = [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
    names += [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and not n.level]
    return {name.split(".")[0] for name in names}


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_files_and_functions_stay_short(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno + 1 <= 40, f"{node.name} in line {node.lineno}"


@pytest.mark.parametrize("path", sorted((ROOT / "solutions").glob("[0-9]*.py")), ids=lambda p: p.stem)
def test_what_a_notebook_imports_is_there(path):
    """Notebooks are cells, which no type checker reads."""
    cells = [cell.text for cell in read_source(path).cells if cell.is_code]
    trees = [tree for tree in map(python, cells) if tree is not None]
    wanted = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert wanted
    for node in wanted:
        module = importlib.import_module(str(node.module))
        for alias in node.names:
            if not hasattr(module, alias.name):  # a module of a package
                importlib.import_module(f"{node.module}.{alias.name}")


@pytest.mark.parametrize("path", sorted((ROOT / "course_utils").rglob("*.py")), ids=lambda p: p.name)
def test_the_students_side_knows_nothing_above_it(path):
    import sys

    foreign = imported(ast.parse(path.read_text())) - set(sys.stdlib_module_names) - STUDENT
    assert not foreign, f"{path.name} imports {foreign}"


def test_the_students_page_stays_small():
    """model.py, attention.py and train.py are read in one sitting."""
    assert (
        sum(len((ROOT / "course_utils" / n).read_text().splitlines()) for n in ("model.py", "attention.py", "train.py"))
        <= 600
    )


def test_the_first_level_of_course_utils_is_a_small_package():
    """What a student sees first; the rest stands in folders of its own."""
    pages = [path.read_text().splitlines() for path in (ROOT / "course_utils").glob("*.py")]
    assert len(pages) <= 15 and sum(map(len, pages)) <= 2500


def test_every_lesson_belongs_to_a_notebook():
    """A module of lessons that no notebook needs, directly or through another lesson, belongs elsewhere."""
    lessons = {path.stem: path.read_text() for path in (ROOT / "course_utils" / "lessons").glob("[a-z]*.py")}
    notebooks = "\n".join(path.read_text() for path in (ROOT / "solutions").glob("[0-9]*.py"))
    needed, new = set(), needs(notebooks) & set(lessons)
    while new:
        needed |= new
        new = {name for one in new for name in needs(lessons[one])} & set(lessons) - needed
    assert set(lessons) == needed


def needs(text: str) -> set[str]:
    """Modules of the lessons that a text names: in an import, or in words as a check's declaration does."""
    groups = re.findall(r"from course_utils\.lessons import (?:\(([^)]*)\)|([^\n]*))", text)
    names = re.findall(r"\w+", re.sub(r" as \w+", "", " ".join(map(" ".join, groups))))
    return {*names, *re.findall(r"course_utils\.lessons\.(\w+)", text)}


def test_types_are_strict_where_students_read_and_records_travel():
    """mypy has no `strict` for some modules; the list of modules and flags stands in pyproject once."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    (strict,) = (one for one in settings["overrides"] if one.get("disallow_untyped_defs"))
    first_level = {f"course_utils.{path.stem}" for path in (ROOT / "course_utils").glob("*.py")} - {
        "course_utils.__init__"
    }
    wanted = first_level | {"course_utils", "autograder.records", "autograder.sandbox.wire.*"}
    assert set(strict["module"]) == wanted


ROW = re.compile(r"^\| `(\w+)` \| \d+, \d+ \| \d+ \| \d+ \| (\d+), (\d+) \| (\d+) \| 0 \|$", re.M)
DIVIDED = ROW.findall((ROOT / "docs" / "architecture.md").read_text())


def imports_of(package: str, graph: grimp.ImportGraph) -> dict[str, set[str]]:
    """What each file or folder of a package's first level imports of the others."""
    parts = {name: [name, *graph.find_descendants(name)] for name in graph.find_children(package)}
    place = {module: name for name, modules in parts.items() for module in modules}
    targets = {
        name: [graph.find_modules_directly_imported_by(one) for one in modules] for name, modules in parts.items()
    }
    return {
        name: {place[one] for found in sets for one in found & set(place)} - {name} for name, sets in targets.items()
    }


@pytest.mark.parametrize(("package", "files", "folders", "imports"), DIVIDED)
def test_first_levels_are_as_the_table_says_and_imports_not_more_and_without_circles(package, files, folders, imports):
    graph = grimp.build_graph(package, cache_dir=None)
    found = imports_of(package, graph)
    inner = [name for name in found if graph.find_children(name)]
    assert (len(found) - len(inner), len(inner)) == (int(files), int(folders))
    assert sum(map(len, found.values())) <= int(imports)
    whole = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    for one in (found, whole):
        assert len(list(graphlib.TopologicalSorter(one).static_order())) == len(one), "raises CycleError for a circle"


def test_the_table_has_every_package_with_folders():
    assert [row[0] for row in DIVIDED] == ["course_utils", "autograder", "benchmarks"]
