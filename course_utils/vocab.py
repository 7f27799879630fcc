"""The character vocabulary: which integer stands for which character."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from course_utils.errors import CourseError

PAD = "\u25a1"
"""Fills the end of every block: □, always id 0. It adds nothing to the loss."""

MASK = "\u2047"
"""Separates question from answer, and marks where a span was cut out: ⁇, always id 1."""


@dataclass(frozen=True)
class Vocabulary:
    """Characters and their ids: PAD is 0, MASK is 1, then the characters in code point order.

    Equal character sets give equal vocabularies, whatever the texts were, so weights trained with one fit the other.

    Attributes:
        itos: the character of each id; its length is the number of rows of an embedding table.
    """

    itos: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.itos[:2] != (PAD, MASK):
            raise CourseError(f"A vocabulary starts with {PAD} and {MASK}; build it with Vocabulary.from_text(text).")
        if any(len(c) != 1 for c in self.itos) or len(set(self.itos)) != len(self.itos):
            raise CourseError("Every entry of a vocabulary is one character, and no character occurs twice.")

    @classmethod
    def from_text(cls, text: str) -> Vocabulary:
        """The vocabulary of everything that occurs in ``text``, line ends included.

        For a corpus read line by line: ``Vocabulary.from_text("\\n".join(documents))``.

        Raises:
            CourseError: the text contains PAD or MASK, which are reserved.
        """
        for special in (PAD, MASK):
            if special in text:
                line = text[: text.index(special)].count("\n") + 1
                raise CourseError(
                    f"Line {line} of the text contains {special} (U+{ord(special):04X}), which is reserved; remove it."
                )
        return cls((PAD, MASK, *sorted(set(text))))

    def __len__(self) -> int:
        return len(self.itos)

    @cached_property
    def stoi(self) -> dict[str, int]:
        """The id of each character."""
        return {c: i for i, c in enumerate(self.itos)}

    @property
    def pad_id(self) -> int:
        """Id of PAD: 0."""
        return 0

    @property
    def mask_id(self) -> int:
        """Id of MASK: 1."""
        return 1

    def encode(self, text: str, unknown: Literal["error", "drop"] = "error") -> list[int]:
        """The ids of ``text``, one per character.

        Args:
            text: may contain PAD and MASK.
            unknown: what to do with a character that the vocabulary lacks. ``"drop"`` leaves it out, which changes
                the text: do the same in training and in evaluation, or not at all.

        Raises:
            CourseError: an unknown character, named with its place, unless they are dropped.
        """
        if unknown == "drop":
            return [self.stoi[c] for c in text if c in self.stoi]
        try:
            return list(map(self.stoi.__getitem__, text))
        except KeyError as error:
            c = error.args[0]
            raise CourseError(
                f"The character {c!r} (U+{ord(c):04X}, position {text.index(c) + 1} of {_short(text)}) is not in the "
                f'vocabulary; build the vocabulary from a text that has it, or encode with unknown="drop".'
            ) from None

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ``ids`` (a list, or a tensor of shape (T,)), special characters included.

        Raises:
            CourseError: an id outside 0..len-1.
        """
        numbers = [int(i) for i in ids]
        for i in numbers:
            if not 0 <= i < len(self.itos):
                raise CourseError(f"The id {i} is not in the vocabulary, whose ids are 0 to {len(self) - 1}.")
        return "".join(self.itos[i] for i in numbers)

    def to_json(self) -> str:
        """The vocabulary as JSON text, to be kept beside the weights."""
        return json.dumps({"characters": "".join(self.itos[2:])})

    @classmethod
    def from_json(cls, text: str) -> Vocabulary:
        """Inverse of :meth:`to_json`.

        Raises:
            CourseError: the text is something else.
        """
        try:
            characters = json.loads(text)["characters"]
            if not isinstance(characters, str):
                raise TypeError
        except (ValueError, TypeError, KeyError):
            raise CourseError(
                'A saved vocabulary is JSON of the form {"characters": "…"}; this is something else.'
            ) from None
        return cls((PAD, MASK, *characters))


def _short(text: str) -> str:
    """``text`` in quotes, cut to what fits in a sentence."""
    return repr(text if len(text) <= 40 else text[:39] + "…")
