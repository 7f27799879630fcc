"""Tricks with the notebook's own JSON: cells, ids, marks, tags, duplicates, saved outputs."""

from __future__ import annotations

import copy
from typing import Any

from tests.attacks import toy
from tests.attacks.grading import Cheat, Edit, attack

Book = dict[str, Any]


def checks_of(book: Book) -> list[dict[str, Any]]:
    """The check cells as handed in."""
    return [cell for cell in book["cells"] if str(cell["id"]).startswith("check-")]


def each(change: Any) -> Edit:
    """An edit of every check cell."""

    def edit(book: Book) -> None:
        for cell in checks_of(book):
            change(cell)

    return edit


def emptied(book: Book) -> None:
    each(lambda cell: cell.update(source="pass"))(book)


def weakened(book: Book) -> None:
    each(
        lambda cell: cell.update(source=cell["source"].replace("assert ", "assert True or ").replace("== expected", ""))
    )(book)


def tagged(tag: str) -> Edit:
    return each(lambda cell: cell["metadata"].update(tags=[tag]))


def bonus(book: Book) -> None:
    """A graded cell of the student's own."""
    cell = toy.code_cell("check-bonus", "pass")
    cell["metadata"]["nbgrader"] = {
        "grade": True,
        "points": 100,
        "grade_id": "bonus",
        "solution": False,
        "locked": True,
    }
    book["cells"].append(cell)


def twice(book: Book) -> None:
    """Every check stands there a second time, empty."""
    book["cells"] += [copy.deepcopy(cell) | {"source": "pass"} for cell in checks_of(book)]


def twice_first(book: Book) -> None:
    """The empty twin comes before the real one."""
    book["cells"][:0] = [copy.deepcopy(cell) | {"source": "pass"} for cell in checks_of(book)]


def swapped_ids(book: Book) -> None:
    """An own cell takes the check's id and marks, the real check becomes an ordinary cell."""
    for number, cell in enumerate(checks_of(book)):
        own = copy.deepcopy(cell) | {"source": "True"}
        cell["id"], cell["metadata"] = f"own-{number}", {}
        book["cells"].append(own)


def magic(line: str) -> Edit:
    return each(lambda cell: cell.update(source=line + "\n" + cell["source"]))


def graded_answers(book: Book) -> None:
    """Answer cells that claim to be graded ones."""
    for cell in book["cells"]:
        if str(cell["id"]).startswith("answer-"):
            cell["metadata"]["nbgrader"].update(grade=True, points=5)


def unlocked(book: Book) -> None:
    """Marks that claim the cell may be changed, with a checksum, and a changed cell."""
    emptied(book)
    each(lambda cell: cell["metadata"]["nbgrader"].update(locked=False, checksum="0" * 32))(book)


def merged(book: Book) -> None:
    """All checks in one graded cell that passes."""
    first, *rest = checks_of(book)
    first["source"] = "pass"
    first["metadata"]["nbgrader"]["points"] = 8
    for cell in rest:
        book["cells"].remove(cell)


def many_points(book: Book) -> None:
    """The one exercise that passes is worth a hundred points."""
    cell = checks_of(book)[0]
    cell["source"] = "pass"
    cell["metadata"]["nbgrader"]["points"] = 100


def negative_points(book: Book) -> None:
    """Tests that can only be failed are worth less than nothing, so that the sum rises."""
    for cell in checks_of(book)[1:]:
        cell["metadata"]["nbgrader"]["points"] = 0
    emptied(book)


def early_return(book: Book) -> None:
    """The check is wrapped in a function that is never called."""
    each(lambda cell: cell.update(source="def never():\n    " + cell["source"].replace("\n", "\n    ") + "\n    pass"))(
        book
    )


def commented(book: Book) -> None:
    each(lambda cell: cell.update(source='"""\n' + cell["source"] + '\n"""'))(book)


def suppressed(book: Book) -> None:
    text = "import contextlib\nwith contextlib.suppress(BaseException):\n    "
    each(lambda cell: cell.update(source=text + cell["source"].replace("\n", "\n    ") + "\n    pass"))(book)


def split_source(book: Book) -> None:
    """The text as a list of lines, one of which is made invisible by a carriage return."""
    each(
        lambda cell: cell.update(
            source=["if False:\n", *(f"    {line}\n" for line in cell["source"].split("\n")), "    0"]
        )
    )(book)


def answer_is_check(book: Book) -> None:
    """The answer cell carries a second cell that redefines the exercise's check id as an answer."""
    for cell in checks_of(book):
        cell["metadata"]["nbgrader"].update(solution=True, locked=False)
        cell["source"] = "score = 1"


def typed_outputs(text: str) -> Edit:
    """Saved outputs that look like success."""

    def change(cell: dict[str, Any]) -> None:
        item = {"output_type": "stream", "name": "stdout", "text": text}
        cell.update(outputs=[item], execution_count=7)

    return each(change)


def scored_outputs(book: Book) -> None:
    def change(cell: dict[str, Any]) -> None:
        data = {"text/plain": "3.0"}
        cell["outputs"] = [{"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 1}]

    each(change)(book)


def score_file(book: Book) -> None:
    """A display with the grader's own mime type for scores."""

    def change(cell: dict[str, Any]) -> None:
        data = {"application/vnd.nbgrader.score+json": {"score": 8, "max_score": 8}}
        cell["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {}}]

    each(change)(book)


def reordered(book: Book) -> None:
    """Checks before anything else, with a `try` of their own."""
    found = checks_of(book)
    for cell in found:
        book["cells"].remove(cell)
        cell["source"] = (
            "try:\n    " + cell["source"].replace("\n", "\n    ") + "\n    pass\nexcept Exception:\n    pass"
        )
    book["cells"][:0] = found


TRICKS: list[tuple[str, Edit]] = [
    ("check cells emptied", emptied),
    ("check cells weakened", weakened),
    ("tag raises-exception on the check cells", tagged("raises-exception")),
    ("a graded cell of the student's own", bonus),
    ("a second, empty cell with the check's id", twice),
    ("an empty cell with the check's id stands first", twice_first),
    ("ids of check and own cell exchanged", swapped_ids),
    ("%%script false before the check", magic("%%script false --no-raise-error")),
    ("%%html before the check", magic("%%html")),
    ("%%writefile before the check", magic("%%writefile /tmp/nothing.py")),
    ("answer cells marked as graded", graded_answers),
    ("check cells unlocked, with a checksum", unlocked),
    ("all checks merged into one", merged),
    ("more points in the notebook's own marks", many_points),
    ("points moved to the check that passes", negative_points),
    ("the check inside a function", early_return),
    ("the check inside a text", commented),
    ("the check's errors suppressed", suppressed),
    ("the check's lines under if False", split_source),
    ("the check turned into an answer", answer_is_check),
    ("checks moved to the top, with a try", reordered),
]
SAVED: list[tuple[str, Edit]] = [
    ("saved outputs say passed", typed_outputs("✓ mean\n")),
    ("saved outputs are empty streams", typed_outputs("")),
    ("saved outputs hold a score", scored_outputs),
    ("saved outputs of the grader's own kind", score_file),
]
CHEATS = [
    Cheat("skip-execution tag on the check cells", answers={}, tags=("skip-execution",), known=True),
    *(
        Cheat(name, edit=edit, reader="trusting", style="plain", known=name.startswith("check cells"))
        for name, edit in TRICKS
    ),
]
OUTPUTS = [Cheat(name, edit=edit, reader="outputs") for name, edit in SAVED]
ATTACKS = [attack("notebook tricks", one) for one in CHEATS] + [attack("saved outputs", one) for one in OUTPUTS]
