"""The original's people: all of them, or one seventh, and what a rule without training gets right about them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from course_utils.data import Question, Task, read_questions, read_wiki, vocabulary_of
from course_utils.errors import CourseError
from course_utils.metrics import count_correct
from solutions.reference.knowledge import person

TRAINED, ASKED = 300, 100  # people of one seventh: trained, and asked


@dataclass(frozen=True)
class People:
    """Documents of a corpus, and questions about some of the people in it: trained ones, and those asked."""

    documents: list[str]
    trained: list[Question]
    asked: list[Question]

    def task(self) -> Task:
        """The documents with the vocabulary of documents and trained questions, as 07 makes it."""
        return Task(self.documents, vocabulary_of(self.documents, self.trained))


def people(folder: Path, split: str) -> People:
    """All people ("whole"), or the split of that number ("0" … "4"): 300 trained and 100 asked, no person in two splits.

    "choice" is all documents and nobody of dev: the last quarter of the trained people is asked, the rest is trained. So a
    recipe for the whole is chosen without dev. The documents of the trained people come first in the corpus, then those of
    dev, in the order of the questions.

    Raises:
        CourseError: a file is missing, or has another order, or there is no such split.
    """
    documents = read_wiki(folder / "wiki.txt")
    trained = read_questions(folder / "birth_places_train.tsv")
    asked = read_questions(folder / "birth_dev.tsv")
    for question, document in zip([*trained, *asked], documents, strict=False):
        if not document.startswith(person(question)):
            raise CourseError(f"The corpus has no document of {person(question)} in the place of the question.")
    if split == "whole":
        return People(documents, trained, asked)
    if split == "choice":
        kept = 3 * len(trained) // 4
        return People(documents, trained[:kept], trained[kept:])
    k = int(split) if split.isdigit() else -1
    if not 0 <= k < min(len(trained) // TRAINED, len(asked) // ASKED):
        raise CourseError(f"There is no split {split!r}; choose whole, choice or a number below {len(asked) // ASKED}.")
    first, second = slice(k * TRAINED, (k + 1) * TRAINED), slice(k * ASKED, (k + 1) * ASKED)
    return People(documents[first] + documents[len(trained) :][second], trained[first], asked[second])


BORN = re.compile(r"\bborn\b.*?\b(?:in|at)\s+((?:[A-Z][\w'’.-]*\s?)+)")


def by_expression(p: People) -> int:
    """How many of the people asked a regular expression gets right that reads "born … in Town" in the person's document.

    It needs no training and sees the document, which a model asked from memory does not.
    """
    of = {person(q): d for q, d in zip([*p.trained, *p.asked], p.documents, strict=False)}
    found = [BORN.search(of[person(q)]) for q in p.asked]
    towns = [match.group(1).strip(" .,") if match else "" for match in found]
    return count_correct(towns, [q.answer for q in p.asked])
