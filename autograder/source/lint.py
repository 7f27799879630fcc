"""Rules that every solution source must follow before it is compiled. Each problem is one sentence with file and line."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from autograder.source import covered
from autograder.source.covered import is_declared
from autograder.source.percent import HIDDEN, SOLUTION, Cell, Region, Source, calls, owners, python, regions, without
from autograder.source.student_names import answered, asked_of_student
from autograder.source.tallies import hours, misstated_hours
from autograder.source.todo import todos
from course_utils.checks.answers import free_names
from course_utils.errors import CourseError

EXERCISE_ID = re.compile(r"[a-z][a-z0-9_]{0,50}")
MAP_MARKER = "<!-- exercise-map -->"
GIVEN = frozenset({"check", "student", "handin"})
COMPARISONS = {"that": 2, "equal": 3, "close": 3, "fails": 1}  # method of the checker -> position of its hint
WIDEST = 110  # characters of a code line
LEAST_WINDOW = 24  # characters; shorter runs of lines (`return x`) reveal nothing

Problems = Iterator[str]


def lint(sources: Sequence[Source]) -> list[str]:
    """All problems of a course's sources, in reading order; an empty list if there are none."""
    found = list(_unique(sources))
    for source in sources:
        found += _at(source, None, _notebook(source))
        names = answered(source)
        for cell in source.cells:
            found += _at(source, cell, _cell(cell))
            found += _at(source, cell, _own_time(source, cell))
            if cell.role == "check":
                found += _at(source, cell, asked_of_student(cell, names))
            if is_declared(cell) and python(cell.text) is not None and not any(todos(cell.text)):
                found += _at(source, cell, covered.problems(source, cell))
    return found


def require_clean(sources: Sequence[Source]) -> None:
    """Raise CourseError with all problems, one per line, if there are any."""
    if problems := lint(sources):
        raise CourseError("\n".join(problems))


def _at(source: Source, cell: Cell | None, problems: Iterable[str]) -> list[str]:
    place = f"{source.path}, line {cell.line}" if cell and cell.line else str(source.path)
    try:
        return [f"{place}: {problem}" for problem in problems]
    except CourseError as error:  # regions that nest or do not end
        return [f"{place}: {error}"]


def _unique(sources: Sequence[Source]) -> Problems:
    """Require one id per exercise in the whole course, with one answer and one check, or one written answer."""
    taken: dict[str, list[tuple[str, str]]] = {}
    for source in sources:
        for cell in (cell for cell in source.cells if cell.exercise):
            earlier = taken.setdefault(cell.exercise, [])
            clash = [role for name, role in earlier if name != source.name or "written" in (role, cell.role)]
            if clash or (source.name, cell.role) in earlier:
                place = f"{source.path}, line {cell.line}"
                yield f"{place}: the id {cell.exercise} is used twice; ids are unique in the course"
            earlier.append((source.name, cell.role))


def _notebook(source: Source) -> Problems:
    order = {(cell.role, cell.exercise): number for number, cell in enumerate(source.cells)}
    for role, exercise in order:
        if role == "answer" and ("check", exercise) not in order:
            yield f'the answer {exercise} has no check; add a cell with check="{exercise}"'
        if role == "check" and order.get(("answer", exercise), len(order)) > order[role, exercise]:
            yield f'the check {exercise} has no answer before it; add a cell with answer="{exercise}"'
    maps = sum(MAP_MARKER in cell.text for cell in source.cells if cell.role == "prose")
    if source.graded() and maps != 1:
        yield f"the line {MAP_MARKER} stands in {maps} markdown cells; put it into exactly one"


def _own_time(source: Source, cell: Cell) -> Problems:
    """Require that a sentence about a student's hours says what the exercises' minutes add up to, as README does."""
    if cell.role != "prose" or not all(_positive(each.marks.get("minutes")) for each in source.graded()):
        return  # another rule reports minutes that are no number
    for sentence in misstated_hours(cell.text, tally := hours(source)):
        yield f"the exercises' minutes= add up to {tally:g} hours, in half hours; change them, or the sentence {sentence!r}"


def _cell(cell: Cell) -> Problems:
    if cell.exercise and not EXERCISE_ID.fullmatch(cell.exercise):
        yield f"{cell.exercise!r} is no exercise id; use snake_case"
    yield from _marks(cell)
    yield from _regions_allowed(cell)
    yield from _alt_texts(cell)
    yield from _wide(cell)
    yield from (f"still to do for {exercise}: {words}" for _, exercise, words in todos(cell.text))
    rules: dict[str, Callable[[Cell], Problems]] = {"answer": _answer, "check": _check, "written": _written}
    if cell.role in rules:
        yield from rules[cell.role](cell)


def _marks(cell: Cell) -> Problems:
    wanted = ("points", "minutes", "difficulty") if cell.graded else ()
    extra = set(cell.marks) - set(wanted) - ({"timeout"} if cell.role == "check" else set()) - {"tags", "builds"}
    for name in sorted(extra):
        yield f"the mark {name}= is not known here"
    if "builds" in cell.marks and not cell.text.startswith("# "):
        yield "the mark builds= belongs to the first cell, the one with the notebook's title"
    for name in wanted:
        value = cell.marks.get(name)
        if not _positive(value):
            yield f"{cell.role} {cell.exercise} needs {name}= with a positive number"
    if cell.graded and cell.marks.get("difficulty") not in (1, 2, 3):
        yield f"difficulty of {cell.exercise} must be 1, 2 or 3"
    timeout = cell.marks.get("timeout", 60)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout <= 3600:
        yield f"timeout of {cell.exercise} must be seconds between 0 and 3600"


def _positive(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and value > 0


def _regions_allowed(cell: Cell) -> Problems:
    if cell.role not in ("answer", "written") and regions(cell.text, SOLUTION):
        yield "a solution region stands outside an answer; mark the cell with answer= or written="
    if cell.role != "check" and regions(cell.text, HIDDEN):
        yield "hidden tests stand outside a check; move them into the check cell"


def _answer(cell: Cell) -> Problems:
    tree, found = python(cell.text), regions(cell.text, SOLUTION)
    if tree is None:
        yield f"the answer {cell.exercise} is not valid Python"
        return
    if not found:
        yield f"the answer {cell.exercise} has no ### BEGIN SOLUTION; what would the student write?"
    kinds = [owners(tree, region) for region in found]
    for region, kind in zip(found, kinds, strict=True):
        yield from _inside(cell, region, kind)
    if len({ast.ClassDef in kind for kind in kinds}) > 1:
        yield f"the answer {cell.exercise} mixes regions in a class body and in functions; split it into two cells"


def _inside(cell: Cell, region: Region, kind: set[type[ast.AST]]) -> Problems:
    where = f"the solution of {cell.exercise} (line {region.first} of the cell)"
    if not kind:
        yield f"{where} holds no statement"
    elif ast.Module in kind:
        yield f"{where} must lie inside a function or class, so that an unsolved notebook runs on"
    elif len(kind) > 1:
        yield f"{where} reaches over a definition's end; give each definition its own region"


def _written(cell: Cell) -> Problems:
    if not cell.text.lstrip().startswith(f"**Your answer · {cell.exercise}**"):
        yield f"the written answer must begin with the line **Your answer · {cell.exercise}**"
    if not any(region.text.strip() for region in regions(cell.text, SOLUTION)):
        yield f"the written answer {cell.exercise} has no model answer between the SOLUTION marks"


def _check(cell: Cell) -> Problems:
    visible, hidden = without(cell.text, HIDDEN), regions(cell.text, HIDDEN)
    trees = python(cell.text), python(visible)
    if trees[0] is None or trees[1] is None:
        yield f"the check {cell.exercise} is not valid Python, with or without its hidden part"
        return
    yield from _recursion(cell, trees[0])
    if is_declared(cell):
        yield from _names(cell, visible)
        return
    if not hidden:
        yield f"the check {cell.exercise} has no hidden part; what is visible alone can be answered by a table"
    if not list(_judgements(trees[1])):
        yield f"the visible part of check {cell.exercise} judges nothing; show at least one example"
    if len(list(_judgements(trees[0]))) <= len(list(_judgements(trees[1]))):
        yield f"the hidden part of check {cell.exercise} judges nothing"
    if not re.search(rf"^with check\(\s*[\"']{cell.exercise}[\"']", visible, re.MULTILINE):
        yield f'the check must open with check("{cell.exercise}") in its visible part'
    yield from _hints(cell, trees[0])
    yield from _names(cell, visible)


def _judgements(tree: ast.AST) -> Iterator[ast.Assert | ast.Call]:
    for node in ast.walk(tree):
        method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and method in COMPARISONS):
            yield node


def _hints(cell: Cell, tree: ast.AST) -> Problems:
    for node in _judgements(tree):
        hint = node.msg if isinstance(node, ast.Assert) else _argument(node)
        empty = isinstance(hint, ast.Constant) and not (isinstance(hint.value, str) and len(hint.value.split()) > 1)
        if hint is None or empty:
            yield f"line {node.lineno} of check {cell.exercise} has no hint; name the likely mistake in a sentence"


def _argument(call: ast.Call) -> ast.expr | None:
    place = COMPARISONS[call.func.attr] - 1 if isinstance(call.func, ast.Attribute) else 0
    named = next((keyword.value for keyword in call.keywords if keyword.arg == "hint"), None)
    return call.args[place] if len(call.args) > place else named


def _names(cell: Cell, visible: str) -> Problems:
    """Require that a check imports or defines every name that it uses, except GIVEN: its text runs alone."""
    for name in sorted(free_names(visible) - GIVEN):
        where = "is for hidden parts only" if name == "private" else "is neither imported nor defined there"
        yield f"the visible part of check {cell.exercise} uses {name}, which {where}"
    for name in sorted(free_names(cell.text) - GIVEN - {"private"} - free_names(visible)):
        yield f"the hidden part of check {cell.exercise} uses {name}, which is neither imported nor defined there"
    if re.search(r"^\s*(from|import)\s+(solutions|autograder)\b", visible, re.MULTILINE):
        yield f"the visible part of check {cell.exercise} imports what students do not have; do so in the hidden part"


def _recursion(cell: Cell, tree: ast.AST) -> Problems:
    """Forbid recursion: for some seed, drawing again by recursion exceeds the depth limit and fails a right answer."""
    for outer in ast.walk(tree):
        if isinstance(outer, ast.FunctionDef) and outer.name in {ast.unparse(call.func) for call in calls(outer)}:
            yield f"in check {cell.exercise} {outer.name} calls itself; draw again in a loop"


def _alt_texts(cell: Cell) -> Problems:
    if cell.role in ("prose", "written"):
        if re.search(r"!\[\s*\]\(", cell.text) or re.search(r"<img(?![^>]*\balt=[\"'][^\"'])", cell.text):
            yield "an image has no alt text"
        return
    if cell.is_code and (tree := python(cell.text)) is not None:
        for call in calls(tree):
            yield from _figure(call)


def _wide(cell: Cell) -> Problems:
    """Require lines of at most WIDEST characters, since students read code cells on half a screen."""
    wide = [line.strip() for line in cell.text.split("\n") if len(line) > WIDEST]
    if cell.role == "code" and wide:
        yield f"a line of code has more than {WIDEST} characters, break it: {wide[0][:40]}…"


def _figure(call: ast.Call) -> Problems:
    name = ast.unparse(call.func)
    if name in ("plt.show", "fig.show", "figure.show"):
        yield f"{name}() shows a figure without alt text; use course_utils.plots.show(fig, alt=…)"
    if name not in ("plots.show", "show"):
        return
    alt = next((keyword.value for keyword in call.keywords if keyword.arg == "alt"), None)
    alt = alt if alt is not None else (call.args[1] if len(call.args) > 1 else None)
    if alt is None or (isinstance(alt, ast.Constant) and not str(alt.value or "").strip()):
        yield f"{name}(…) needs alt= with what the figure says"


def leaks(source: Source, student_texts: Sequence[str]) -> list[str]:
    """A sentence for each hidden test, solution or model answer that is found in the student version.

    Runs of three lines are compared (a region's whole text if shorter), without spaces, comments and imports.
    """
    lines = [line for text in student_texts for line in _significant(text)]
    shown = {window for size in (1, 2, 3) for window in _windows(lines, size)}
    found = [f"{source.path}: the marker {m} is in the student version" for m in _markers(student_texts)]
    for cell in source.cells:
        for kind in (SOLUTION, HIDDEN):
            for region in regions(cell.text, kind):
                inner = _significant(region.text)
                if any(window in shown for window in _windows(inner, min(3, len(inner)))):
                    found.append(
                        f"{source.path}, line {cell.line}: {kind.lower()} of {cell.exercise} can be read elsewhere"
                    )
    return found


def _markers(texts: Sequence[str]) -> list[str]:
    marks = [f"{edge} {kind}" for edge in ("BEGIN", "END") for kind in (SOLUTION, HIDDEN, "MARK SCHEME")]
    return [mark for mark in marks if any(mark in text for text in texts)]


def _significant(text: str) -> list[str]:
    lines = ("".join(line.split()) for line in text.split("\n"))
    return [line for line in lines if line and not line.startswith(("#", "import", "from"))]


def _windows(lines: Sequence[str], size: int) -> list[str]:
    runs = ["\n".join(lines[i : i + size]) for i in range(len(lines) - size + 1)] if size else []
    return [run for run in runs if len(run) >= LEAST_WINDOW]
