"""Files of the course (corpora, questions, predictions), and a printed view of a dataset's items.

A corpus has one document per line. A question file has one question per line, with its answer behind a tab or without
any. All files are UTF-8.

A question may have characters that the corpus lacks. Those of the training questions enter the vocabulary; any other is
left out of the question, in training and in evaluation alike, and :meth:`Task.tell` says so in one sentence.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
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


# ----------------------------------------------------------------------------------- corpus and questions together


def vocabulary_of(documents: Sequence[str], questions: Iterable[Question] = ()) -> Vocabulary:
    """The vocabulary of a corpus, line ends included, and of training questions with their answers.

    Raises:
        CourseError: a text contains PAD or MASK, which are reserved.
    """
    asked = "\n".join(f"{q.text}{q.answer or ''}" for q in questions)
    read = Vocabulary.from_text("\n".join(documents) + "\n")
    more = set(Vocabulary.from_text(asked).itos).difference(read.itos)  # apart, so that an error names the right line
    return Vocabulary.from_text("".join(sorted(more.union(read.itos[2:])))) if more else read


@dataclass
class Task:
    """A corpus, the vocabulary of a model that reads it, and questions as this vocabulary can write them.

    Attributes:
        wiki: the documents of the corpus.
        vocab: has all characters of the documents at least.
        lacking: what lacks the characters that are told of, such as ``wiki.txt``.
        questions: one list for each file that :func:`read_task` was given.
        notes: what :meth:`fit` found, one clause per file and kind.
    """

    wiki: list[str]
    vocab: Vocabulary
    lacking: str = "wiki.txt"
    questions: list[list[Question]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def fit(self, questions: Sequence[Question], name: str, *, train: bool = False) -> list[Question]:
        """The questions of the file ``name`` without the characters that the vocabulary lacks; a note of each kind found.

        An answer with such a character cannot be written. In evaluation it stays as it is, so that it counts as wrong; a
        question of ``train`` with such an answer is not trained on.

        Raises:
            CourseError: nothing is left of a question, or of all training questions.
        """
        known = set(self.vocab.itos)
        self._note(questions, known, f"questions of {name}", lambda q: q.text, "left out of the question")
        then = "these questions are not trained on" if train else "such an answer counts as wrong"
        self._note(questions, known, f"answers of {name}", lambda q: q.answer or "", then)
        kept = [q for q in questions if not train or known.issuperset(q.answer or "")]
        fitted = [Question("".join(c for c in q.text if c in known), q.answer) for q in kept]
        if not fitted or not all(q.text.strip() for q in fitted):
            raise CourseError(
                f"{name} shares too few characters with {self.lacking}: nothing would be left of "
                f"{'a question' if fitted else 'all questions'}; use files that belong together."
            )
        return fitted

    def note_added(self, questions: Sequence[Question], name: str) -> None:
        """Note the characters that the training questions of the file ``name`` add to those of the documents."""
        known, then = set("\n".join(self.wiki)), "taken into the vocabulary, first met in finetuning"
        self._note(questions, known, f"questions of {name}", lambda q: f"{q.text}{q.answer or ''}", then)

    def _note(
        self,
        questions: Sequence[Question],
        known: Collection[str],
        where: str,
        text: Callable[[Question], str],
        then: str,
    ) -> None:
        """Add a note if the ``text`` of a question has a character that is not ``known``."""
        found = [set(text(q)).difference(known) for q in questions]
        if characters := sorted(set().union(*found)):
            self.notes.append(f"{_listed(characters)} in {sum(map(bool, found))} of {len(found)} {where} ({then})")

    @property
    def report(self) -> str:
        """All notes in one sentence; "" if there is none."""
        return f"Characters that {self.lacking} lacks: {'; '.join(self.notes)}." if self.notes else ""

    def tell(self) -> None:
        """Print the report, if there is anything to tell."""
        if self.notes:
            print(self.report)


def read_task(folder: str | Path, train: str, *others: str) -> Task:
    """``wiki.txt`` and files of questions of a folder; ``train`` and ``others`` are their names.

    The vocabulary is that of the corpus and of the training questions.

    Raises:
        CourseError: a file that cannot be read, as :func:`read_wiki` and :func:`read_questions` say it.
    """
    wiki = read_wiki(Path(folder) / "wiki.txt")
    learned, *asked = [read_questions(Path(folder) / name) for name in (train, *others)]
    task = Task(wiki, vocabulary_of(wiki, learned))
    task.note_added(learned, train)
    task.questions = [learned, *(task.fit(questions, name) for questions, name in zip(asked, others, strict=True))]
    return task


def _listed(characters: Sequence[str], most: int = 8) -> str:
    """Characters in quotes, those that are not visible alone as code points; at most so many, and how many more."""
    hidden = [not c.isprintable() or c.isspace() or unicodedata.combining(c) > 0 for c in characters]
    shown = [f"U+{ord(c):04X}" if h else repr(c) for c, h in zip(characters[:most], hidden, strict=False)]
    return ", ".join(shown) + (f" and {len(characters) - most} more" if len(characters) > most else "")


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
