"""Generated text and questions of the original assignment's size, so that benchmarks need no other data."""

from __future__ import annotations

import random

from course_utils.corpora.world import generate
from course_utils.data import Question
from course_utils.vocab import Vocabulary

DOCUMENTS, TRAIN, DEV, CHARACTERS = 2937, 2000, 500, 254


def a5_size(seed: int = 0) -> tuple[list[str], list[Question], list[Question], Vocabulary]:
    """2,937 documents of 38 to 516 characters (median about 131), 2,000 and 500 questions, 256 tokens.

    The lengths have a log-normal distribution fitted to the real file; one character in two hundred is outside the world's
    alphabet, as accents are in the real names.
    """
    rng = random.Random(f"a5:{seed}")
    world = generate(seed, n_people=1500)
    known = sorted(set("".join(world.wiki)))
    rare = [chr(code) for code in range(0xC0, 0xC0 + CHARACTERS - len(known))]
    documents = [_document(rng, world.wiki, rare) for _ in range(DOCUMENTS - 1)]
    documents.append("".join(rare)[:516])  # every character occurs
    questions = [person.question for person in world.people if person.town is not None]
    train = [rng.choice(questions) for _ in range(TRAIN)]
    return documents, train, questions[:DEV], Vocabulary.from_text("".join([*documents, *known]))


def _document(rng: random.Random, sentences: list[str], rare: list[str]) -> str:
    """Random sentences, joined and cut at a random length."""
    length = min(516, max(38, round(rng.lognormvariate(4.875, 0.45))))
    text = ""
    while len(text) < length:
        text += rng.choice(sentences) + " "
    return "".join(rng.choice(rare) if rng.random() < 0.005 else c for c in text[:length])
