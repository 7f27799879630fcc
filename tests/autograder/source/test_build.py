"""The compiler: same bytes twice, lint that names file and line, no leak, and an output folder that survives failures."""

from __future__ import annotations

import ast
import json
import re
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from autograder.source import rendering
from autograder.source.build import (
    FIRST_CELL,
    StaleError,
    build,
    differences,
    notebook_bytes,
    replace_folder,
    source_notebook,
    student_is_solution_minus_answers,
    student_notebook,
    summary,
)
from autograder.source.lint import lint
from autograder.source.percent import read_source, regions
from autograder.source.rendering import render_solutions
from autograder.source.tallies import BEGIN, END, misstated_hours
from course_utils.errors import CourseError
from tests.paths import ROOT, SAMPLE_COURSE
from tests.sources import course_sources

MODEL = "# The most frequent answer needs no knowledge of the person at all. One point for the argument, one for an example."
BODY = "    most_frequent = Counter(answers).most_common(1)[0]\n    return most_frequent[1] / len(answers)\n"
IMPORT, HEADING, GUARD = "from collections import Counter\n", "# ## Hand in a file", 'if student.has("shout"):\n'
LOOP = "    for _ in range(8):\n        towns"
TEXT = (SAMPLE_COURSE / "97_sample.py").read_text(encoding="utf-8")


@pytest.fixture
def course(tmp_path):
    """A folder with a copy of the sample; returns a function that changes it and says its problems."""
    folder = tmp_path / "solutions"
    folder.mkdir()
    path = folder / "97_sample.py"
    path.write_text(TEXT, encoding="utf-8")

    def changed(old: str, new: str) -> list[str]:
        assert old in TEXT, "the test's own text is stale"
        path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
        return lint([read_source(path)])

    changed.folder = folder  # type: ignore[attr-defined]
    return changed


def student() -> nbformat.NotebookNode:
    return student_notebook(read_source(SAMPLE_COURSE / "97_sample.py"))


def test_two_builds_give_the_same_bytes(tmp_path):
    first = [path.read_bytes() for path in build(SAMPLE_COURSE, tmp_path / "a")]
    second = [path.read_bytes() for path in build(SAMPLE_COURSE, tmp_path / "b")]
    assert first == second and len(first) == 1


def test_the_student_version_opens_everywhere():
    made = student()
    nbformat.validate(made)
    assert (made.nbformat, made.nbformat_minor) == (4, 5)
    assert made.metadata.kernelspec.name == "python3"
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in made.cells)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell.id) for cell in made.cells)
    assert len({cell.id for cell in made.cells}) == len(made.cells)


def test_ids_are_derived_from_the_exercises():
    ids = [cell.id for cell in student().cells]
    assert ids[:5] == ["97-001", "97-002", "97-003", "answer-baseline", "check-baseline"]
    assert "written-why" in ids
    graded = {c.id: c.metadata.nbgrader.grade_id for c in student().cells if "nbgrader" in c.metadata}
    assert all(key == value for key, value in graded.items()) and len(graded) == 7


def test_the_student_version_is_the_solution_minus_answers():
    source = read_source(SAMPLE_COURSE / "97_sample.py")
    whole = source_notebook(source)
    assert differences(whole, student()) == []
    assert student_is_solution_minus_answers(whole, student())


@pytest.mark.parametrize("harm", ["text", "answer", "metadata", "outputs", "cell", "points"])
def test_any_other_difference_is_seen(harm):
    whole, made = source_notebook(read_source(SAMPLE_COURSE / "97_sample.py")), student()
    by_id = {cell.id: cell for cell in made.cells}
    if harm == "text":
        by_id["97-003"].source += " "
    elif harm == "answer":
        by_id["answer-baseline"].source = by_id["answer-baseline"].source.replace("not written yet", "1 / 2")
    elif harm == "metadata":
        made.metadata.course.points = 3
    elif harm == "outputs":
        by_id["97-002"].outputs = [{"output_type": "stream", "name": "stdout", "text": "x"}]
    elif harm == "points":
        by_id["check-baseline"].metadata.nbgrader.points = 5
    else:
        made.cells.pop()
    assert not student_is_solution_minus_answers(whole, made)


def test_nothing_hidden_can_be_read_in_the_student_version():
    text = notebook_bytes(student()).decode()
    for secret in ("most_common", "self.factor", "needs no knowledge", "private", "HIDDEN", "BEGIN", "c.rng", "upper"):
        assert secret not in text
    assert "divide by the number of answers" in text  # the visible part stays


def test_an_unsolved_notebook_defines_its_names_and_a_class_can_be_subclassed():
    names: dict = {}
    for cell in student().cells:
        if cell.id.startswith("answer-"):
            exec(cell.source, names)
    with pytest.raises(NotImplementedError):
        names["baseline"](["a"])
    with pytest.raises(NotImplementedError):
        type("Mine", (names["Scaler"],), {})(2.0)


def test_the_exercise_map_adds_up():
    text = next(cell.source for cell in student().cells if "| exercise |" in cell.source)
    assert "| `scaler` | 1.5 | 10 | ●●○ 2 of 3 | – |" in text
    assert "| `why` (written) | 2 | 5 | ●●● 3 of 3 | – |" in text
    assert "| **total** | **6.5** | **23** | | **–** |" in text
    assert "97_sample: 4 exercises, 6.5 points, 23 minutes" in summary(SAMPLE_COURSE)


def test_the_first_cell_finds_the_course_here_above_and_in_an_uploaded_zip(tmp_path, monkeypatch):
    monkeypatch.delenv("COURSE_DIR", raising=False)
    monkeypatch.setattr("sys.path", [])  # so that this repository does not answer
    package = tmp_path / "course" / "course_utils"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    deep, colab = tmp_path / "course" / "notebooks", tmp_path / "colab"
    deep.mkdir()
    colab.mkdir()
    with zipfile.ZipFile(colab / "student.zip", "w") as archive:
        archive.writestr("student/course_utils/__init__.py", "")
    for place, root in [(deep, tmp_path / "course"), (colab, colab / "student")]:
        found: list[str] = []
        monkeypatch.chdir(place)
        monkeypatch.setattr("sys.path", found)
        monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
        exec(FIRST_CELL, {})
        assert found == [str(root)]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"student\.zip"):
        exec(FIRST_CELL, {})


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('check="scaler" points', 'check="baseline" points', "used twice"),
        ('written="why"', 'written="lines"', "used twice"),
        ('answer="scaler"', 'answer="scalar"', "has no check"),
        ('answer="scaler"', 'answer="scalar"', "no answer before it"),
        ("points=1.5 ", "", "needs points="),
        ("points=1.5 ", "points=0 ", "needs points="),
        ("minutes=3 ", "", "needs minutes="),
        ("difficulty=3", "difficulty=4", "1, 2 or 3"),
        ("timeout=20", 'timeout="long"', "timeout"),
        ("timeout=20", "point=2", "mark point= is not known"),
        ("# <!-- exercise-map -->", "", "exercise-map"),
        ('answer="lines"', 'answer="Lines"', "snake_case"),
        ('    share = max', '    shares = max', "uses share"),
        ("import torch\n\nwith", "with", "uses torch"),
        ("[c.rng.choice", "[rng.choice", "uses rng"),
        ('["OSLO", "ROME"], "write', 'private.lines("x"), "write', "private, which is for hidden parts only"),
        ("import torch\n\nwith", "import torch\nfrom solutions.reference import x\nwith", "students do not have"),
        ("def shout(words):\n", "words = 3\ndef shout(words:\n", "not valid Python"),
        (LOOP, f"    def draw():\n        draw()\n\n{LOOP}", "draw again in a loop"),
        (', "divide by the number of answers"', "", "no hint"),
        ('"the hidden answers are not there"', '"wrong"', "no hint"),
        ('with check("scaler"', 'with check("baseline"', 'open with check("scaler")'),
        ("**Your answer · why**", "Your answer", "must begin with the line"),
        (MODEL, "#", "no model answer"),
        (IMPORT, f"### BEGIN SOLUTION\n{IMPORT}### END SOLUTION\n", "inside a function or class"),
        (BODY, "    # write\n", "holds no statement"),
        ("# # A sample notebook", "# ![](figure.png)", "no alt text"),
        ('    try:\n', '    plots.show(1)\n    try:\n', "needs alt="),
        ('    try:\n', '    plt.show()\n    try:\n', "without alt text"),
        ('    try:\n', '    print("' + 110 * "x" + '")\n    try:\n', "more than 110 characters"),
        ('    try:\n', '    ### BEGIN SOLUTION\n    try:\n', "without END"),
        (f"# %% [markdown]\n{HEADING}", f'# %% [markdown] builds="x"\n{HEADING}', "belongs to the first cell"),
        (BODY, f"    # TODO(baseline): the formula\n{BODY}", "still to do for baseline: the formula"),
        (HEADING, f"{HEADING}\n#\n# TODO(lines): an example", "still to do for lines: an example"),
        (GUARD, f"### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n{GUARD}", "outside an answer"),
        (GUARD, f"### BEGIN HIDDEN TESTS\nx = 1\n### END HIDDEN TESTS\n{GUARD}", "outside a check"),
        ("# It exists", "# Your own time: about\n# three hours. It exists", "add up to 0.5 hours"),
        (HEADING, f"{HEADING}\n#\n# Plan an hour of your own time.", "the sentence 'Plan an hour of your own time.'"),
    ],
)  # fmt: skip
def test_lint_names_the_problem_with_file_and_line(course, old, new, words):
    problems = course(old, new)
    assert any(words in problem for problem in problems), problems
    assert all("97_sample.py" in problem for problem in problems)
    assert any(re.search(r", line \d+: ", problem) for problem in problems) or "exercise-map" in words or "no " in words


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("About three hours of your own time. Ten hours of sleep.", 3),
        ("Plan nearly three hours of your own\ntime.", 3),
        ("Your own time: about four and a half hours.", 4.5),
        ("Your own time: 3.5 hours. More is too much.", 3.5),
        ("Half an hour of your own time.", 0.5),
        ("An hour of your own time, or less.", 1),
        ("Go on in your own time.", None),
    ],
)
def test_hours_in_a_sentence_are_compared_with_the_tally(text, right):
    assert [hours for hours in (0.5, 1, 3, 3.5, 4, 4.5) if misstated_hours(text, hours) == []] == (
        [right] if right else [0.5, 1, 3, 3.5, 4, 4.5]
    )


def test_each_notebook_that_says_how_long_it_takes_is_read():
    """A sentence that is written otherwise would not be compared: six notebooks have one, each has one number."""
    told = [source.name for source in course_sources() if any(misstated_hours(c.text, -1) for c in source.cells)]
    assert [name[:2] for name in told] == ["01", "03", "05", "06", "07", "08"]


def test_a_declared_check_may_not_draw_by_recursion(course):
    """For some seed, drawing again by recursion exceeds the depth limit and fails a right answer."""
    path, declared = (
        course.folder / "97_sample.py",
        "def cases(d):\n    n = d.whole(1, 9)\n    return cases(d) if n < 5 else (n,)\n",
    )
    first, second = TEXT.index('with check("baseline")'), TEXT.index("# %%", TEXT.index('with check("baseline")'))
    ending = """promises(reference={"baseline": len}, kept=[promise("x", "not empty", cases)])\n\n"""
    text = "from course_utils.checks.promises import promise, promises\n\n\n" + declared + "\n\n" + ending
    path.write_text(TEXT[:first] + text + TEXT[second:], encoding="utf-8")
    assert [line for line in lint([read_source(path)]) if "cases calls itself; draw again in a loop" in line]


def test_a_clean_source_has_no_problems():
    assert lint([read_source(SAMPLE_COURSE / "97_sample.py")]) == []


def test_lint_wants_hidden_tests_that_judge(course):
    hidden = TEXT[TEXT.index("    ### BEGIN HIDDEN TESTS") : TEXT.index('# %% answer="scaler"')]
    assert any("no hidden part" in problem for problem in course(hidden, "\n"))
    idle = "    ### BEGIN HIDDEN TESTS\n    x = 1\n    ### END HIDDEN TESTS\n\n"
    assert any("hidden part of check baseline judges nothing" in problem for problem in course(hidden, idle))
    visible = '    c.close(student.baseline(["Oslo", "Rome", "Oslo"]), 2 / 3, "divide by the number of answers")\n'
    assert any("visible part of check baseline judges nothing" in problem for problem in course(visible, "    pass\n"))


def test_an_id_is_unique_in_the_whole_course(course):
    course("# # A sample", "# # The sample")
    other = course.folder / "98_other.py"
    other.write_text(TEXT, encoding="utf-8")
    problems = lint([read_source(path) for path in sorted(course.folder.glob("*.py"))])
    assert sum("used twice" in problem for problem in problems) == 7


@pytest.mark.parametrize("secret", ["".join(f"# {line}\n" for line in BODY.splitlines()), MODEL])
def test_a_solution_that_can_be_read_elsewhere_stops_the_build(course, tmp_path, secret):
    assert course(HEADING, f"{HEADING}\n#\n{secret}") == []
    with pytest.raises(CourseError, match="can be read elsewhere"):
        build(course.folder, tmp_path / "notebooks")
    assert not (tmp_path / "notebooks").exists()


def test_a_broken_source_leaves_the_old_notebooks(course, tmp_path):
    out = tmp_path / "notebooks"
    build(course.folder, out)
    before = (out / "97_sample.ipynb").read_bytes()
    course("points=1.5 ", "")
    with pytest.raises(CourseError, match="needs points="):
        build(course.folder, out)
    assert (out / "97_sample.ipynb").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if "notebooks" in path.name] == ["notebooks"]


def test_check_says_which_notebook_is_stale(course, tmp_path):
    out = tmp_path / "notebooks"
    with pytest.raises(StaleError, match="97_sample"):
        build(course.folder, out, check=True)
    build(course.folder, out)
    assert build(course.folder, out, check=True) == [out / "97_sample.ipynb"]
    course("# # A sample", "# # The sample")
    with pytest.raises(StaleError, match=r"97_sample\.ipynb"):
        build(course.folder, out, check=True)
    build(course.folder, out)
    (out / "96_left_over.ipynb").write_text("{}")
    with pytest.raises(StaleError, match="96_left_over"):
        build(course.folder, out, check=True)


def test_a_swap_keeps_what_it_is_told_and_undoes_itself_on_failure(tmp_path, monkeypatch):
    target = tmp_path / "notebooks"
    (target / "work").mkdir(parents=True)
    (target / "work" / "weights").write_text("trained for hours")
    (target / "old.ipynb").write_text("old")
    with pytest.raises(RuntimeError), replace_folder(target) as aside:
        (aside / "new.ipynb").write_text("new")
        raise RuntimeError("disk on fire")
    assert sorted(path.name for path in target.iterdir()) == ["old.ipynb", "work"]

    with replace_folder(target, keep=lambda path: path.suffix != ".ipynb") as aside:
        (aside / "new.ipynb").write_text("new")
    assert sorted(path.name for path in target.iterdir()) == ["new.ipynb", "work"]
    assert (target / "work" / "weights").read_text() == "trained for hours"

    rename = Path.rename

    def failing(self, other):
        if ".new-" in self.name:
            raise OSError(5, "Input/output error")
        return rename(self, other)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(CourseError, match="still there"), replace_folder(target) as aside:
        (aside / "newer.ipynb").write_text("newer")
    assert sorted(path.name for path in target.iterdir()) == ["new.ipynb", "work"]
    assert [path.name for path in tmp_path.iterdir()] == ["notebooks"]


def test_a_swap_finishes_what_a_crash_left(tmp_path):
    target, old = tmp_path / "notebooks", tmp_path / ".notebooks.old"
    (old / "work").mkdir(parents=True)
    with replace_folder(
        target, keep=lambda path: path.name == "work"
    ) as aside:  # the crash fell between the two renames
        (aside / "a.ipynb").write_text("a")
    assert sorted(path.name for path in target.iterdir()) == ["a.ipynb", "work"] and not old.exists()


def test_an_empty_folder_is_one_sentence(tmp_path):
    with pytest.raises(CourseError, match="no notebook source"):
        build(tmp_path, tmp_path / "out")


def test_regions_must_begin_and_end():
    assert [r.text for r in regions("a\n### BEGIN SOLUTION\nb\n### END SOLUTION\nc", "SOLUTION")] == ["b"]
    for text in ("### BEGIN SOLUTION", "### END SOLUTION", "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION"):
        with pytest.raises(CourseError):
            regions(text, "SOLUTION")


def test_solutions_run_and_render(tmp_path):
    """The sample's own answers pass their visible checks, in a kernel; the rendered notebook keeps the hidden parts."""
    notebook_path, html_path = render_solutions(SAMPLE_COURSE, tmp_path / "out", execute=True)
    made = nbformat.read(notebook_path, as_version=4)
    printed = {cell.id: "".join(o.get("text", "") for o in cell.get("outputs", [])) for cell in made.cells}
    assert [printed[f"check-{name}"] for name in ("baseline", "scaler", "lines")] == [
        "✓ baseline\n",
        "✓ scaler\n",
        "✓ lines\n",
    ]
    assert "BEGIN HIDDEN TESTS" in next(cell.source for cell in made.cells if cell.id == "check-baseline")
    html = html_path.read_text(encoding="utf-8")
    assert "needs no knowledge" in html and not re.search(r"<script[^>]+src=.https?:", html)
    saved = (tmp_path / "out" / "work" / "97_sample" / "my_answers.py").read_text(encoding="utf-8")
    assert {node.name for node in ast.parse(saved).body if hasattr(node, "name")} == {"baseline", "Scaler"}
    with zipfile.ZipFile(tmp_path / "out" / "97_sample.zip") as archive:
        assert archive.namelist() == ["97_sample.ipynb", "work/97_sample/shout.txt", "manifest.json"]
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["checks"] == {"baseline": "passed", "scaler": "passed", "lines": "passed"}


def test_a_cell_that_fails_is_named(tmp_path, monkeypatch):
    """A stand-in for the kernel: the failure itself is made in the slow test below."""

    def fails(self, **_: object) -> None:
        raise CellExecutionError("", "CheckFailed", "divide by the number of answers")

    monkeypatch.setattr(rendering.NotebookClient, "execute", fails)
    source = read_source(SAMPLE_COURSE / "97_sample.py")
    with pytest.raises(CourseError, match=r"97_sample\.py: a cell fails: CheckFailed: divide by the number of answers"):
        rendering._run_cells(source_notebook(source), source, tmp_path, strict=True, cell_seconds=9)


@pytest.mark.slow
def test_a_failing_solution_is_named(course, tmp_path):
    course("most_frequent[1] / len(answers)", "most_frequent[1] / 7")
    with pytest.raises(CourseError, match="divide by the number of answers"):
        render_solutions(course.folder, tmp_path / "out", execute=True)


def test_nothing_of_the_machine_goes_into_a_notebook():
    assert str(ROOT) not in notebook_bytes(student()).decode()


def test_the_readmes_table_is_written_and_a_stale_one_is_refused(tmp_path):
    sources, readme, out = tmp_path / "solutions", tmp_path / "README.md", tmp_path / "notebooks"
    sources.mkdir()
    text = TEXT.replace(
        "# %% [markdown]\n# # A sample notebook", '# %% [markdown] builds="a scaler"\n# # 97 · A sample'
    )
    assert text != TEXT
    (sources / "97_sample.py").write_text(text, encoding="utf-8")
    readme.write_text(f"Before.\n{BEGIN}\nold\n{END}\nAfter.\n")
    build(sources, out)
    row = "| 97 A sample | 6.5 | 0.5 | a scaler |"
    head = "| notebook | points | hours | what you build |\n|---|---:|---:|---|\n"
    assert readme.read_text() == f"Before.\n{BEGIN}\n{head}{row}\n{END}\nAfter.\n"
    build(sources, out, check=True)
    (sources / "97_sample.py").write_text(text.replace("a scaler", "two scalers"), encoding="utf-8")
    with pytest.raises(StaleError, match=r"README\.md: the table of notebooks"):
        build(sources, out, check=True)
    assert row in readme.read_text(), "check writes nothing"
    for broken in (f"{BEGIN}\n", f"{END}\n{BEGIN}\n", f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n"):
        readme.write_text(broken)
        with pytest.raises(CourseError, match="put the line"):
            build(sources, out)
    readme.write_text("No table.\n")
    build(sources, out)
    assert readme.read_text() == "No table.\n"


def test_the_map_of_the_course_lists_what_has_points(tmp_path):
    (tmp_path / "96_start.py").write_text("# %% [markdown]\n# # 96 · Start\n#\n# <!-- course-map -->\n")
    (tmp_path / "97_sample.py").write_text(TEXT, encoding="utf-8")
    shown = source_notebook(read_source(tmp_path / "96_start.py")).cells[0].source
    assert "| 97_sample |  | 6.5 | 0.5 h |" in shown and "96" not in shown.partition("| notebook")[2]
