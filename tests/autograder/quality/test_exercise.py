"""Writing an exercise: a skeleton that lint refuses, filled in and judged; and what every exercise must have on file."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from autograder.cli import main
from autograder.cli.common import references_of
from autograder.quality import bench, exercise, forking  # the first, since its imports change sys.path once
from autograder.quality.filing import CourseFolder, unfiled
from autograder.quality.misconceptions import Judgement
from autograder.source.lint import lint
from autograder.source.percent import read_source, source_paths
from tests.paths import ROOT, SAMPLE_COURSE

sandboxed = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
FILLED = {  # what a person writes where the skeleton says to do
    "solutions/97_sample.py": [
        ("say what to write, with a small example worked out", "Add the squares: [1, 2] gives 5."),
        ("where to look", "Look at one number first."),
        ("the idea", "A square is never negative."),
        ("the steps, and the traps", "Square each number, then add; do not add first."),
        ("say what comes in and what comes back, with types and shapes.", "Sum of the squares of a list of numbers."),
        ("return sum(values)  # TODO(squares): write the solution", "return sum(value**2 for value in values)"),
        ("draw the arguments of one call, with every size and range that the text allows.", "A list of numbers."),
        ("a mistake that shows only in what is never drawn passes; think of 0, equal, whole, negative, large", "Of 0,"),
        ("same() for whole numbers and words, close(…) with a bound for others", "they are added in any order"),
        (
            "what holds for every argument, in a sentence for the student whose answer breaks it",
            "every number is squared before the squares are added",
        ),
        ("the words of the text or of the docstring that promise this", "Sum of the squares of a list of numbers."),
        ("what holds for the smallest or most unusual argument", "a single number is squared too"),
        ("the words that promise this", "Sum of the squares of a list"),
    ],
    "solutions/reference/squares.py": [
        ("say what comes back, and write it another way than the solution does.", "Sum of the squares."),
        ('raise NotImplementedError("squares has no reference yet")', "return sum(value * value for value in values)"),
    ],
    "tests/misconceptions/97_sample/squares/first_mistake.py": [
        ("the sentence that a student with the same answers reads", "square each number before you add"),
        ("say what was misunderstood, and give the file a name that says it too", "The sum is squared."),
        ("return 0.0", "return sum(values) ** 2"),
    ],
    "tests/misconceptions/97_sample/squares/right_otherwise.py": [
        ("write a right answer in another way than the solution does", "math.fsum of products."),
        ('return float("nan")', "import math\n\n    return math.fsum(v * v for v in values)"),
    ],
}


@pytest.fixture(autouse=True)
def own_references() -> Iterator[None]:
    """Import ``solutions`` from the test's course and not from this checkout, whose modules are put back afterwards."""

    def taken() -> dict[str, ModuleType]:
        return {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "solutions"}

    before, path = taken(), list(sys.path)
    yield
    assert sys.path == path, "processes of later tests would look for their modules in this test's course"
    taken()
    sys.modules.update(before)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of the sample course: sources, an empty place for references, nothing on file."""
    (tmp_path / "solutions" / "reference").mkdir(parents=True)
    for name in ("solutions/__init__.py", "solutions/reference/__init__.py"):
        (tmp_path / name).write_text('"""Sample."""\n')
    shutil.copy(SAMPLE_COURSE / "97_sample.py", tmp_path / "solutions")
    return tmp_path


def run(course: Path, *words: str) -> int:
    return main([*words, "--sources", str(course / "solutions")])


def shell(course: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own: it judges with the references of the copy, not with those of this checkout."""
    command = [sys.executable, "-m", "autograder", *words, "--sources", str(course / "solutions")]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def fill_in(course: Path) -> None:
    for name, changes in FILLED.items():
        text = (course / name).read_text()
        for old, new in changes:
            assert old in text, (name, old)
            text = text.replace(old, new)
        (course / name).write_text(text.replace("TODO(squares): ", ""))


def test_a_skeleton_is_refused_until_every_mark_is_filled_in(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(course, "exercise", "new", "97", "squares", "--points", "2.5", "--difficulty", "2") == 0
    written = [line.split(": ", 1)[1] for line in capsys.readouterr().out.splitlines() if line.startswith("written")]
    assert [Path(path).is_file() for path in written] == [True] * 4
    assert run(course, "lint") == 1
    refused = capsys.readouterr().out
    for name in FILLED:
        assert name.rsplit("/", 1)[1] in refused, name
    assert run(course, "exercise", "check", "97", "squares") == 1
    assert "still to do" in capsys.readouterr().out
    assert run(course, "build", "--out", str(course / "notebooks")) == 2, "students would see what is to do"
    fill_in(course)
    with references_of(course / "solutions"):
        assert lint([read_source(path) for path in source_paths(course / "solutions")]) == []
    left = unfiled([read_source(course / "solutions" / "97_sample.py")], CourseFolder(course))
    assert not [line for line in left if "still to do" in line]
    assert [line for line in left if "squares" in line] == [line for line in left if "squares has no measured" in line]


@sandboxed
def test_a_filled_in_exercise_passes_and_a_wrong_right_answer_is_told(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(course, "exercise", "new", "97", "squares", "--after", "baseline") == 0
    said = capsys.readouterr().out
    assert "costs --exercises 97_sample" in said and "autograder build" in said, "the steps that are left"
    fill_in(course)
    assert run(course, "build", "--out", str(course / "notebooks")) == 0
    done = shell(course, "exercise", "check", "97", "squares", "--json", str(course / "out.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✓ first_mistake.py" in done.stdout and "✓ right_otherwise.py" in done.stdout
    assert "square each number before you add" in done.stdout, "the hint on file"
    assert "run python -m benchmarks.costs --exercises 97_sample" in done.stdout and "not current" not in done.stdout
    found = json.loads((course / "out.json").read_text())
    assert [one["verdict"] for one in found["verdicts"]] == ["reject", "accept"] and found["good"]
    folder = course / "tests" / "misconceptions" / "97_sample" / "squares"
    (folder / "right_but_wrong.py").write_text("# expect: accept\ndef squares(values):\n    return sum(values)\n")
    misnamed = "# expect: reject\n# hint: cubes\ndef squares(values):\n    return sum(values) * sum(values)\n"
    (folder / "misnamed.py").write_text(misnamed)
    assert run(course, "exercise", "check", "97", "squares") == 1
    said = capsys.readouterr().out
    assert "4 answers judged, 3 not as they must be" in said, (
        "two files with equal answers and different hints give none"
    )
    assert "✗ right_but_wrong.py" in said and "[does not contain: cubes]" in said
    assert "✗ first_mistake.py" in said and "✓ right_otherwise.py" in said
    (folder / "misnamed.py").write_text(misnamed.replace("# hint: cubes\n", ""))
    assert run(course, "exercise", "check", "97", "squares") == 2
    assert "misnamed.py: begin with '# expect: reject' and '# hint: words'" in capsys.readouterr().err


DECLARED = """from course_utils.checks.promises import Draw, close, promise, promises


def oracle(values):
    return sum(value * value for value in values)


def numbers(d: Draw, n=(1, 6)):
    (length,) = d.sizes(n=n)
    return ([d.uniform(-2, 2) for _ in range(length)],)


promises(
    reference={"squares": oracle},
    agree=close(1e-9),
    always=(),
    kept=[promise("the old sentence", "Sum of the squares of a list of numbers.", cases=numbers)],
)

"""


@sandboxed
def test_a_changed_declaration_is_judged_with_new_visible_cases(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The committed file of visible cases is older than the declaration: neither its sentences nor its inputs are used."""
    assert run(course, "exercise", "new", "97", "squares", "--after", "baseline") == 0
    fill_in(course)
    path = course / "solutions" / "97_sample.py"
    before, mark, rest = path.read_text().partition('# %% check="squares"')
    path.write_text(before + mark + rest[: rest.index("\n") + 1] + DECLARED + rest[rest.index("# %%") :])
    assert run(course, "build", "--out", str(course / "notebooks")) == 0
    cases = course / "data" / "promises" / "97_sample.json"
    written = cases.read_bytes()
    path.write_text(path.read_text().replace("the old sentence", "every square counts").replace("(-2, 2)", "(3, 4)"))
    folder = course / "tests" / "misconceptions" / "97_sample" / "squares"
    (folder / "right_but_wrong.py").write_text("# expect: accept\ndef squares(values):\n    return 0.0\n")
    capsys.readouterr()
    assert run(course, "exercise", "check", "97", "squares") == 1
    said = capsys.readouterr().out
    assert "1 not as they must be" in said and "every square counts" in said and "the old sentence" not in said
    assert f"{cases} is not current for squares" in said and cases.read_bytes() == written


UNUSUAL = {  # right for numbers that are small, broken and all different
    "bounded by 1": "sum(min(abs(v), 1.0) ** 2 for v in values)",
    "bounded by 3": "sum(v**2 if abs(v) < 3 else 9 for v in values)",
    "one more where there is 0": "sum(v**2 for v in values) + (0 in values)",
    "each value once": "sum(v**2 for v in set(values))",
    "bounded far away": "sum(min(abs(v), 1e5) ** 2 for v in values)",
    "whole numbers are not squared": "sum(v**2 if v != int(v) else abs(v) for v in values)",
    "the largest is no less than 0": "sum(v**2 for v in values) - min(max(values), 0) ** 2",
    "the sign is kept where all have one": "sum(v * abs(v) for v in values) if max(values) < 0 else sum(v**2 for v in values)",
    "a single 0": "1.0 if values == [0] else sum(v**2 for v in values)",
}


def test_what_the_skeleton_draws_shows_mistakes_in_unusual_numbers(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every seed, since a hand-in is judged with one. The solution and a right answer pass with each of them."""
    assert run(course, "exercise", "new", "97", "squares", "--after", "baseline") == 0
    fill_in(course)
    assert run(course, "build", "--out", str(course / "notebooks")) == 0
    rights = ["sum(v**2 for v in values)", "__import__('math').fsum(v * v for v in values)"]
    with references_of(course / "solutions"):
        for seed in range(5):
            monkeypatch.setattr(bench, "SEED", seed)
            made = bench.Bench(read_source(course / "solutions" / "97_sample.py"), "squares")
            judged = {text: made.judge(f"def squares(values):\n    return {text}\n") for text in rights}
            assert set(judged.values()) == {"kept"}, (seed, judged)
            for name, text in UNUSUAL.items():
                assert made.judge(f"def squares(values):\n    return {text}\n") == "broken", (seed, name)


def test_a_new_exercise_stands_behind_the_one_that_is_named(course: Path) -> None:
    path = course / "solutions" / "97_sample.py"
    before = read_source(path)
    assert run(course, "exercise", "new", "97_sample", "squares", "--after", "scaler", "--minutes", "7") == 0
    after = read_source(path)
    order = [cell.exercise for cell in after.cells if cell.graded]
    assert order == ["baseline", "scaler", "squares", "lines", "why"]
    assert next(cell for cell in after.graded() if cell.exercise == "squares").marks["minutes"] == 7
    assert [c.text for c in after.cells if c.exercise != "squares" and "`squares`" not in c.text] == [
        cell.text for cell in before.cells
    ]
    assert run(course, "exercise", "new", "97", "last_one") == 0
    assert [cell.exercise for cell in read_source(path).graded()] == [*order, "last_one"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["new", "97", "Bad-Name"], "is no exercise id"),
        (["new", "97", "scaler"], "ids are unique"),
        (["new", "97", "class"], "class: is a keyword of Python; choose another name"),
        (["new", "97", "lambda"], "such as lambda_by_hand"),
        (["new", "97", "sum"], "sum: is a built-in name of Python; choose another name"),
        (["new", "97", "range"], "such as range_by_hand"),
        (["new", "42", "squares"], "there is no notebook of that number; there are 97"),
        (["new", "97", "squares", "--after", "nothing"], "97_sample has no such exercise"),
        (["check", "97", "nothing"], "97_sample has no such exercise; it has baseline, scaler, lines, why"),
        (["list", "1"], "there is no notebook of that number"),
    ],
)
def test_a_mistake_of_the_author_is_one_sentence(
    course: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (course / "solutions" / "97_sample.py").read_text()
    assert run(course, "exercise", *words) == 2
    said = capsys.readouterr().err
    assert sentence in said and len(said.splitlines()) == 1
    assert (course / "solutions" / "97_sample.py").read_text() == before
    assert not (course / "tests").exists() and len(list((course / "solutions" / "reference").iterdir())) == 1


def test_numbers_that_are_none_are_refused(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--points", "0"], ["--minutes", "nan"], ["--points", "-1"], ["--difficulty", "4"]):
        with pytest.raises(SystemExit) as left:
            run(course, "exercise", "new", "97", "squares", *words)
        assert left.value.code == 2 and "error: argument" in capsys.readouterr().err


def test_a_reference_that_is_there_is_not_overwritten(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = course / "solutions" / "reference" / "squares.py"
    kept.write_text("mine = 1\n")
    assert run(course, "exercise", "new", "97", "squares") == 2
    assert "exists already" in capsys.readouterr().err and kept.read_text() == "mine = 1\n"


# ------------------------------------------------------------------------------------------------ what must be on file


@pytest.fixture
def complete(course: Path) -> Path:
    """The sample course with everything on file."""
    path = course / "solutions" / "97_sample.py"
    text = path.read_text().replace("# %% [markdown]\n# # A", '# %% [markdown] builds="three small things"\n# # A')
    ending = "One point for the argument, one for an example."
    assert ending in text
    path.write_text(text.replace(ending, ending + "\n#\n# Rubric: (1) the argument; (2) an example."))
    for name in ("baseline", "scaler", "lines"):
        folder = course / "tests" / "misconceptions" / "97_sample" / name
        folder.mkdir(parents=True)
        (folder / "mistake.py").write_text("# expect: reject\n# hint: some words\nx = 1\n")
        (folder / "right.py").write_text("# expect: accept\nx = 1\n")
    record = {"notebooks": {"97_sample": {"exercises": {"baseline": 0.1, "scaler": 0.0, "lines": 2.0}}}}
    (course / "data" / "measured").mkdir(parents=True)
    (course / "data" / "measured" / "costs.json").write_text(json.dumps(record))
    return course


def problems(course: Path) -> list[str]:
    return unfiled([read_source(course / "solutions" / "97_sample.py")], CourseFolder.of(course / "solutions"))


def test_a_complete_course_has_no_problem(complete: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert problems(complete) == []
    assert run(complete, "lint") == 0
    assert run(complete, "exercise", "list", "97") == 0
    shown = capsys.readouterr().out
    assert "4 exercises, 6.5 points" in shown and "97_sample/why (written)" in shown


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [
        ("tests/misconceptions/97_sample/lines/mistake.py", None, "", "lines has no misconception on file"),
        ("tests/misconceptions/97_sample/scaler/right.py", None, "", "scaler has no right answer on file"),
        ("data/measured/costs.json", '"scaler": 0.0, ', "", "scaler has no measured cost; run python -m bench"),
        ("data/measured/costs.json", None, "", "baseline has no measured cost"),
        ("solutions/97_sample.py", "Rubric: ", "", "why has no rubric"),
        ("solutions/97_sample.py", "; (2) an example", "", "why has no rubric"),
        ("solutions/97_sample.py", "needs no knowledge of the person at all.", "", "no model answer of at least 15"),
        ("solutions/97_sample.py", ' builds="three small things"', "", "its first cell needs builds="),
        ("tests/misconceptions/97_sample/gone/x.py", None, "# expect: accept\n", "has no check gone"),
        ("solutions/reference/other.py", None, "# TODO(other): the formula\n", "still to do: the formula"),
        ("tests/misconceptions/97_sample/lines/right.py", "x = 1", "# TODO(lines): say", "line 2 is still to do: say"),
    ],
)
def test_whatever_is_missing_is_one_sentence(
    complete: Path, name: str, old: str | None, new: str, sentence: str
) -> None:
    path = complete / name
    if old is not None:
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
    elif new:
        path.parent.mkdir(exist_ok=True)
        path.write_text(new)
    else:
        path.unlink()
    found = problems(complete)
    assert any(sentence in line for line in found), found


def test_a_broken_record_of_costs_is_a_sentence(complete: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (complete / "data" / "measured" / "costs.json").write_text("[]")
    assert run(complete, "lint") == 2 and "is no record of costs" in capsys.readouterr().err


def test_the_course_itself_is_complete() -> None:
    sources = [read_source(path) for path in source_paths(ROOT / "solutions")]
    assert unfiled(sources, CourseFolder(ROOT)) == []


def test_a_wrong_answer_that_is_accepted_is_not_good() -> None:
    kinds = [(True, True, True), (True, True, False), (True, False, True), (False, False, False), (False, True, False)]
    good = [Judgement("n", "e", "x", wrong, rejected, named, "said").good for wrong, rejected, named in kinds]
    assert good == [True, False, False, True, False]


def test_the_process_that_imports_is_started_before_the_commands_own_imports(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no gain for a few answers, and none if its starting imported torch first."""
    code = "import sys, autograder.quality.forking; print({'torch', 'nbgrader'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
    started: list[int] = []
    monkeypatch.setattr(forking, "start_early", lambda: started.append(1))
    folder = course / "tests" / "misconceptions" / "97_sample" / "nowhere"
    folder.mkdir(parents=True)
    for number in range(forking.FEW - 1):
        (folder / f"answer_{number}.py").write_text("# expect: accept\nx = 1\n")
    command = ["exercise", "check", exercise.find_notebook(course / "solutions", "97").stem, "nowhere"]
    assert run(course, *command) == 2 and not started
    (folder / "one_more.py").write_text("# expect: accept\nx = 1\n")
    assert run(course, *command, "--workers", "1") == 2 and not started
    assert run(course, *command) == 2 and started == [1]
