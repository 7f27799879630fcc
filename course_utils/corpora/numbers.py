"""Numbers 1 to 9999 as digits (the source) and as English or German number words (the target) for a tiny translator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from course_utils.errors import CourseError

PAD, EOS, EN, DE = 0, 1, 2, 3
"""Ids that are not words: padding, end of sentence, and the two language tags that start the decoder's input."""

TAGS = {"en": EN, "de": DE}
_EN = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety""".split()  # noqa: SIM905 (reads better)
_DE = """eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn
    achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig""".split()  # noqa: SIM905
_EN_UNITS, _EN_TENS = _EN[:19], _EN[19:]
_DE_UNITS, _DE_TENS = _DE[:19], _DE[19:]

WORDS: tuple[str, ...] = (
    *("<pad>", "<eos>", "<en>", "<de>"),
    *(*_EN, "hundred", "thousand"),
    *(*_DE, "ein", "und", "hundert", "tausend"),
)
_ID = {word: i for i, word in enumerate(WORDS)}

SOURCE_SIZE = 11  # padding and the ten digits
SOURCE_LENGTH = 4  # digits of 9999
TARGET_LENGTH = 8  # neun tausend neun hundert neun und neunzig <eos>


def english(number: int) -> list[str]:
    """The English words of ``number`` (1..9999): 4217 -> four thousand two hundred seventeen."""
    words: list[str] = []
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            words += [_EN_UNITS[number // size - 1], name]
            number %= size
    if number >= 20:
        words.append(_EN_TENS[number // 10 - 2])
        number %= 10
    return [*words, _EN_UNITS[number - 1]] if number else words


def german(number: int) -> list[str]:
    """The pieces of the German number word (1..9999): 4221 -> vier tausend zwei hundert ein und zwanzig.

    German says the unit before the ten, so a translator must use the digits in another order than they are written.
    """
    words: list[str] = []
    for size, name in ((1000, "tausend"), (100, "hundert")):
        if number >= size:
            words += [_de_short(number // size), name]
            number %= size
    if number < 20:
        return [*words, _DE_UNITS[number - 1]] if number else words
    unit, ten = number % 10, _DE_TENS[number // 10 - 2]
    return [*words, _de_short(unit), "und", ten] if unit else [*words, ten]


def _de_short(digit: int) -> str:
    """One is "eins" at the end of a number, but "ein" before another piece."""
    return "ein" if digit == 1 else _DE_UNITS[digit - 1]


def words_of(number: int, language: str) -> list[str]:
    """The words of ``number`` in ``language`` ("en" or "de"); CourseError for other numbers or languages."""
    if not 1 <= number <= 9999:
        raise CourseError(f"The number {number} is outside 1..9999; the translator knows only four digits.")
    if language not in TAGS:
        raise CourseError(f'The language "{language}" is unknown here; choose "en" or "de".')
    return english(number) if language == "en" else german(number)


def encode_numbers(numbers: Iterable[int]) -> Tensor:
    """Digits of each number as ids (digit + 1), padded on the right with PAD: int64 (B, SOURCE_LENGTH)."""
    rows = [[int(digit) + 1 for digit in str(number)] for number in numbers]
    return torch.tensor([row + [PAD] * (SOURCE_LENGTH - len(row)) for row in rows])


def encode_words(numbers: Iterable[int], language: str) -> Tensor:
    """Word ids of each number, then EOS, then PAD: int64 (B, TARGET_LENGTH). The language tag is not part of it."""
    rows = [[_ID[word] for word in words_of(number, language)] + [EOS] for number in numbers]
    return torch.tensor([row + [PAD] * (TARGET_LENGTH - len(row)) for row in rows])


def decode_words(ids: Sequence[int] | Tensor) -> str:
    """The words of one row of ids up to EOS; German pieces are joined to one word, as German spelling requires."""
    words: list[str] = []
    for i in [int(i) for i in ids]:
        if i == EOS:
            break
        words.append(WORDS[i])
    together = any(_ID[word] >= _ID["eins"] for word in words if word in _ID)
    return ("" if together else " ").join(words)


def split_numbers(seed: int = 0, held_out: int = 1000) -> tuple[list[int], list[int]]:
    """Shuffle 1..9999 with ``seed`` and keep ``held_out`` numbers that training never sees: (training, held out)."""
    order = (torch.randperm(9999, generator=torch.Generator().manual_seed(seed)) + 1).tolist()
    return order[held_out:], order[:held_out]


def number_tensors(numbers: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
    """Every number once per language: source (2n, SOURCE_LENGTH), tag (2n,), target (2n, TARGET_LENGTH), all int64."""
    source = encode_numbers(numbers).repeat(2, 1)  # (n, 4) -> (2n, 4)
    tag = torch.tensor([EN, DE]).repeat_interleave(len(numbers))  # (2,) -> (2n,)
    target = torch.cat([encode_words(numbers, "en"), encode_words(numbers, "de")])  # 2 x (n, 8) -> (2n, 8)
    return source, tag, target
