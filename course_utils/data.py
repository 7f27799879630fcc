"""Files of the course (corpora, questions, predictions), and a printed view of a dataset's items.

A corpus has one document per line. A question file has one question per line, with its answer behind a tab or without
any. All files are UTF-8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from course_utils.engine.epochs import ItemDataset, check_item
from course_utils.engine.files import read_lines, write_atomically
from course_utils.errors import CourseError
from course_utils.vocab import PAD, Vocabulary


@dataclass(frozen=True)
class Question:
    """A question such as ``Where was Ada Lovelace born?`` and its answer; None where the answer is not known."""

    text: str
    answer: str | None = None


# ---------------------------------------------------------------------------------------------------------- files


def read_wiki(path: str | Path) -> list[str]:
    """The documents of a corpus, one per line; an empty line is an empty document, the end of the file is not.

    Raises:
        CourseError: missing, empty or not UTF-8 (the line is named).
    """
    return read_lines(Path(path), "corpus with one document per line")


def read_questions(path: str | Path) -> list[Question]:
    """The questions of a file: ``question TAB answer`` on every line, or the question alone on every line.

    Raises:
        CourseError: missing, empty or not UTF-8, or a line of another form (its number is named).
    """
    path = Path(path)
    questions: list[Question] = []
    for number, line in enumerate(read_lines(path, "file of questions"), start=1):
        fields = line.split("\t")
        if len(fields) > 2 or not all(field.strip() for field in fields):
            raise CourseError(
                f"{path}, line {number}: expected a question, or a question, one tab and its answer; "
                f"found {len(fields)} field(s), {sum(not f.strip() for f in fields)} of them empty."
            )
        if questions and (len(fields) == 2) != (questions[0].answer is not None):
            has = "has an answer" if len(fields) == 2 else "has no answer"
            raise CourseError(f"{path}, line {number} {has}, unlike line 1; give every question an answer, or none.")
        questions.append(Question(*fields))
    return questions


def write_predictions(path: str | Path, predictions: Sequence[str]) -> None:
    """Write one prediction per line, no header, atomically. A line end inside a prediction becomes a space."""
    one_line = [p.replace("\r", " ").replace("\n", " ") for p in predictions]
    write_atomically(path, "".join(p + "\n" for p in one_line))


def read_predictions(path: str | Path, expected: int) -> list[str]:
    """The predictions that :func:`write_predictions` wrote, for ``expected`` questions.

    Raises:
        CourseError: missing, not UTF-8, or another number of lines.
    """
    path = Path(path)
    lines = read_lines(path, "file of predictions")
    if len(lines) != expected:
        raise CourseError(
            f"{path} has {len(lines)} lines, but there are {expected} questions; "
            f"write one prediction per line, in the order of the questions, without a header."
        )
    return lines


# ------------------------------------------------------------------------------------------------------ debugging


def describe(dataset: ItemDataset, vocab: Vocabulary, n: int = 3) -> None:
    """Print the first ``n`` items as text, x above y, so that every character stands above its target.

    The padding at the end is shortened to its length: ``□×87``.
    """
    n = min(n, len(dataset))
    print(f"{len(dataset)} items, {len(vocab)} characters; the first {n}:")
    for i in range(n):
        item = dataset[i]
        check_item(item, i, None)
        print(f"\nitem {i}, T = {len(item[0])}")
        for name, ids in zip("xy", item, strict=True):
            text = vocab.decode(ids.tolist()).replace("\n", "↵")
            kept = text.rstrip(PAD)
            padding = len(text) - len(kept)
            print(f"  {name}: {kept}" + (f" {PAD}×{padding}" if padding else ""))
