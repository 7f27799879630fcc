"""The lint's rule about `student`: one check that breaks each part of it, and those of the course that hold to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.source.lint import lint
from autograder.source.percent import Cell, Source, read_source, source_paths
from autograder.source.student_names import answered, asked_of_student
from tests.paths import ROOT

ANSWER = (
    "LIMIT = 3\nfrom course_utils.model import GPT\ndef train(model):\n    inner = 1\nclass Reader:\n    size = 2\n"
)
PLAIN = "from course_utils.lessons.blocks import with_weights\ndef helper(x):\n    return x\n"


def source_with(check: str) -> Source:
    cells = (
        Cell("code", PLAIN, "a", 1),
        Cell("answer", ANSWER, "b", 5, "train"),
        Cell("check", f'with check("train") as c:\n    {check}\n', "c", 9, "train"),
    )
    return Source(Path("x.py"), "01_x", cells)


def problems(check: str) -> list[str]:
    source = source_with(check)
    return list(asked_of_student(source.cells[-1], answered(source)))


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ('c.that(student.has("train"), "run the cell first")', "student.has"),
        ('alone = not student.has("train")', "student.has"),
        ("got = student.with_weights(student.Reader, (3,))", "student.with_weights"),
        ("got = student.helper(3)", "student.helper"),  # given in a plain cell: its owner may rebind it
        ("model = student.GPT(3)", "student.GPT"),  # imported, even in an answer cell
        ("got = student.inner", "student.inner"),
        ("got = student.size", "student.size"),
        ('got = getattr(student, "with_weights")(3)', "looks into student by getattr"),
        ("got = vars(student)", "looks into student by vars"),
        ("pupil = student", "another name"),
        ("path = 'x.y'; got = student.tool(path)", "one name in quotes"),
        ('got = student.tool("course_utils.lessons.blocks" + ".with_weights")', "one name in quotes"),
        ('got = student.tool("course_utils.lessons.knowledge.changed")', "mark it with @fetches"),
        ('got = student.tool("course_utils.lessons.knowledge.nothing")', "mark it with @fetches"),
        ('got = student.tool("os.path.join")', "is no tool"),
    ],
)
def test_a_check_that_concludes_in_the_students_process_is_refused(check: str, words: str) -> None:
    found = problems(check)
    assert len(found) == 1 and words in found[0]
    assert any(words in problem for problem in lint([source_with(check)]))


@pytest.mark.parametrize(
    "check",
    [
        "got = student.train(student.Reader(student.LIMIT))",
        "got = student.map(student.train, [(1,), (2,)])",
        'got = student.tool("course_utils.lessons.blocks.with_weights")(student.Reader, (3,), {}, ())',
        "kept = keeps(student, student.train, 3)",
    ],
)
def test_what_fetches_values_is_allowed(check: str) -> None:
    assert problems(check) == []


@pytest.mark.parametrize("path", source_paths(ROOT / "solutions"), ids=lambda path: path.stem)
def test_the_course_holds_to_it(path: Path) -> None:
    source = read_source(path)
    names = answered(source)
    assert [list(asked_of_student(cell, names)) for cell in source.cells if cell.role == "check"] == [
        [] for cell in source.cells if cell.role == "check"
    ]
