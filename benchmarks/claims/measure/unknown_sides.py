"""What reading costs if one knows a corpus of reviews but not which adjectives are on one side: exact, in nats per token.

Two such readers are compared with one who knows the sides. All know the grammar and how frequent each word is; of two
equally frequent adjectives they do not know which is in favour. One takes every adjective as if it were the first of its
review. The other is Bayesian within a review: a word that comes again is on the side on which it was.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from course_utils.corpora import reviews

TURNED = 0.15  # share of the reviews in which one sentence is of the other side
VERDICTS = tuple(pattern.split(" {p}")[0] for pattern in reviews.VERDICTS)
DENYING = ("not", "far", "anything", "less")


@dataclass(frozen=True)
class Said:
    """One adjective of a review.

    Attributes:
        sentence: number of its sentence among those with adjectives.
        rank: place in the list of its side, the most frequent first.
        side: 1 in favour, -1 against.
        role: 1 if the phrase says it, -1 if the phrase denies it.
    """

    sentence: int
    rank: int
    side: int
    role: int


def parsed(text: str, words: reviews.Words) -> tuple[list[Said], int]:
    """The adjectives of a review, and which of its sentences with adjectives is the verdict."""
    place = {
        word: (rank, side)
        for side, group in ((1, words.in_favour), (-1, words.against))
        for rank, word in enumerate(group)
    }
    said: list[Said] = []
    verdict, number = -1, 0
    for sentence in text.replace(reviews.MARK, "").split(" ."):
        found = [Said(number, *place[word], role) for word, role in _roles(sentence.split()) if word in place]
        verdict = number if sentence.strip().startswith(VERDICTS) else verdict
        number += bool(found)
        said += found
    return said, verdict


def _roles(words: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Each word with 1, or with -1 where the phrase denies it."""
    role = 1
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word in DENYING and after != "only":
            role = -1
        elif word == "than" or (word == "but" and before != "anything"):
            role = 1
        yield word, role


def excess(said: Sequence[Said], verdict: int) -> tuple[float, float]:
    """Nats that a review costs the two readers above what it costs one who knows the sides."""
    stated = {one.sentence: one.side * one.role for one in said}
    others = [number for number in stated if number != verdict]
    turned = [number for number in others if stated[number] != stated[verdict]]
    knows = math.log(0.5 * (TURNED / len(others) if turned else 1 - TURNED))
    without_memory = len(said) * math.log(0.5)
    possible = [1 - TURNED if _fits(said, ()) else 0.0]
    possible += [TURNED / len(others) if _fits(said, (number,)) else 0.0 for number in others]
    with_memory = math.log(sum(possible)) + len({one.rank for one in said}) * math.log(0.5)
    return knows - without_memory, knows - with_memory


def _fits(said: Sequence[Said], turned: Sequence[int]) -> bool:
    """Whether a choice of sides exists that makes these sentences, and no others, be of the other side."""
    signs: dict[int, set[int]] = defaultdict(set)
    for one in said:
        signs[one.rank].add(one.side * one.role * (-1 if one.sentence in turned else 1))
    return all(len(found) == 1 for found in signs.values())


def readers(seed: str) -> dict[str, float]:
    """Excess of both readers in nats per predicted token over the unlabelled reviews of a corpus, and adjectives a review."""
    corpus = reviews.generate(seed)
    found = [parsed(review.text, corpus.words) for review in corpus.unlabelled]
    tokens = sum(len(review.text.split()) + 1 for review in corpus.unlabelled)
    nats = [excess(*one) for one in found]
    return {
        "without_memory": sum(a for a, _ in nats) / tokens,
        "with_memory": sum(b for _, b in nats) / tokens,
        "adjectives": sum(len(said) for said, _ in found) / len(found),
        "tokens": tokens / len(found),
    }
