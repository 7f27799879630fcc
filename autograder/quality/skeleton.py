"""The skeleton of a new exercise: cells with its promises, a reference, a wrong and a right answer, with work left to do.

Every place that a person must fill in carries a mark (``autograder.source.todo``), which lint refuses.
"""

from __future__ import annotations

import builtins
import keyword
from pathlib import Path

from autograder.quality.filing import CourseFolder
from autograder.source.lint import EXERCISE_ID
from autograder.source.percent import Source
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

CELLS = '''\
# %% [markdown]
# ### Exercise `NAME`
#
# TODO(NAME): say what to write, with a small example worked out
#
# <details><summary>Hint 1 (nudge)</summary>
# TODO(NAME): where to look
# </details>
# <details><summary>Hint 2 (idea)</summary>
# TODO(NAME): the idea
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# TODO(NAME): the steps, and the traps
# </details>


# %% answer="NAME"
def NAME(values):
    """TODO(NAME): say what comes in and what comes back, with types and shapes."""
    ### BEGIN SOLUTION
    return sum(values)  # TODO(NAME): write the solution
    ### END SOLUTION


# %% check="NAME" points=POINTS minutes=MINUTES difficulty=DIFFICULTY
from course_utils.checks.promises import Draw, close, promise, promises, repeatable, unchanged
from solutions.reference import NAME as reference


def cases(d: Draw, n=(2, 9)):
    """TODO(NAME): draw the arguments of one call, with every size and range that the text allows."""
    # TODO(NAME): a mistake that shows only in what is never drawn passes; think of 0, equal, whole, negative, large
    # and tiny numbers, of those at a bound of the text, of what is empty, and of results that are 0 or huge
    (n,) = d.sizes(n=n)
    kind = d.each("usual", "zero", "equal", "whole", "negative", "large", "huge")
    top = {"large": 100.0, "huge": 1e6}.get(kind, 2.0)
    values = [d.uniform(-top, -0.1 if kind == "negative" else top) for _ in range(n)]
    if kind == "zero":
        values[d.whole(0, n - 1)] = 0.0
    elif kind == "equal":
        values = values[:1] * n
    elif kind == "whole":
        values = [d.whole(-9, 9) for _ in range(n)]
    return (values,)


promises(
    reference={"NAME": reference.NAME},
    agree=close(1e-9),  # TODO(NAME): same() for whole numbers and words, close(…) with a bound for others
    always=(unchanged, repeatable),
    kept=[
        promise(
            "TODO(NAME): what holds for every argument, in a sentence for the student whose answer breaks it",
            quote="TODO(NAME): the words of the text or of the docstring that promise this",
            cases=cases,
        ),
        promise(
            "TODO(NAME): what holds for the smallest or most unusual argument",
            quote="TODO(NAME): the words that promise this",
            cases=lambda d: cases(d, n=(1, 1)),
        ),
    ],
)

'''
REFERENCE = '''\
"""What the promises of ``NAME`` are judged by."""

from __future__ import annotations

from collections.abc import Sequence


def NAME(values: Sequence[float]) -> float:
    """TODO(NAME): say what comes back, and write it another way than the solution does."""
    raise NotImplementedError("NAME has no reference yet")
'''
WRONG = """\
# expect: reject
# hint: TODO(NAME): the sentence that a student with the same answers reads
# TODO(NAME): say what was misunderstood, and give the file a name that says it too
def NAME(values):
    return 0.0
"""
RIGHT = """\
# expect: accept
# TODO(NAME): write a right answer in another way than the solution does
def NAME(values):
    return float("nan")
"""


def new_exercise(
    source: Source, taken: set[str], name: str, points: float, minutes: float, difficulty: int, after: str | None
) -> list[Path]:
    """Write the skeleton of an exercise and return the files that were written, the source first.

    Args:
        taken: ids of all exercises of the course.
        after: the exercise behind which it goes; None for the last place.

    Raises:
        CourseError: a name that is no free id, or an exercise ``after`` that is not there. Nothing is written then.
    """
    course = CourseFolder.of(source.path.parent)
    _require_free(name, taken)
    folder, reference = course.filed / source.name / name, course.reference / f"{name}.py"
    for there in (path for path in (folder, reference) if path.exists()):
        raise CourseError(f"{there} exists already; choose another name, or remove it")
    text = with_cells(source, _filled(CELLS, name, points, minutes, difficulty), after)
    files = {
        folder / "first_mistake.py": _filled(WRONG, name),
        folder / "right_otherwise.py": _filled(RIGHT, name),
        reference: _filled(REFERENCE, name),
        source.path: text,  # last: a run that is cut short leaves an exercise that nothing refers to
    }
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
    return list(reversed(files))


def _require_free(name: str, taken: set[str]) -> None:
    """Raise CourseError for a name that no new exercise, and so no function of a student, can have."""
    if not EXERCISE_ID.fullmatch(name):
        raise CourseError(f"{name!r} is no exercise id; use lower-case letters, digits and _, beginning with a letter")
    if keyword.iskeyword(name) or hasattr(builtins, name):
        kind = "a keyword" if keyword.iskeyword(name) else "a built-in name"
        raise CourseError(f"{name}: is {kind} of Python; choose another name for the function, such as {name}_by_hand")
    if name in taken:
        raise CourseError(f"{name}: there is an exercise of that name; ids are unique in the course")


def _filled(text: str, name: str, points: float = 1, minutes: float = 1, difficulty: int = 1) -> str:
    for word, value in (("POINTS", points), ("MINUTES", minutes), ("DIFFICULTY", difficulty)):
        text = text.replace(f"={word}", f"={value:g}")
    return text.replace("NAME", name)


def with_cells(source: Source, cells: str, after: str | None) -> str:
    """The source's text with new cells behind an exercise's section, that is before the next heading.

    Raises:
        CourseError: the notebook has no such exercise, or the lines of its cells cannot be found.
    """
    places = [k for k, cell in enumerate(source.cells) if cell.exercise and after in (None, cell.exercise)]
    if after is not None and not places:
        raise CourseError(f"{after}: {source.name} has no such exercise; name one of it with --after")
    first = (places[-1] if places else 0) + 1
    rest = source.cells[first:]
    following = next((cell for cell in rest if cell.role == "prose" and "\n#" in f"\n{cell.text}"), None)
    lines = source.path.read_text(encoding="utf-8").split("\n")
    if following is None:
        return "\n".join(lines).rstrip("\n") + "\n\n" + cells.rstrip("\n") + "\n"
    if not following.line:
        raise CourseError(f"{source.path}: a line beginning with '# %%' stands inside a cell; indent it")
    at = following.line - 1
    return "\n".join([*lines[:at], *cells.split("\n"), *lines[at:]])
