"""Book reviews of the fictional world: a few with a label, many without, and a language that only the many can teach.

Every review is in favour of a book or against it. The words that say so are invented, 60 for each side. Words of one side
stand together ("the plot is tavik , bremol and soltan"), so whoever reads many reviews without labels can find out which
belong together.

The order of the words matters: 40 % of the phrases hold words of the other side and turn them round ("far from garun", "not
garun but tavik"). What a phrase says follows from its words and its construction together; the sum over the true sides of
a review's words judges about four of five reviews rightly. The sentences of a review agree, so whoever predicts the next
word learns this without labels, too.

Every review has its own random numbers, seeded by a SHA-256 hash, so a corpus is the same to the byte on every platform.

    python -m course_utils.corpora.reviews --seed 1 --out data/reviews
"""

from __future__ import annotations

import math
import random
import sys
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from pathlib import Path

from course_utils.corpora.manifest import command_line, ensure_dir, manifest
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

MARK = "▁"  # sentencepiece's sign for the beginning of a word (U+2581)
N_ADJECTIVES, N_AUTHORS, N_PLACES = 60, 40, 30
ZIPF = 0.8  # word k of a side occurs about k^-0.8 times as often as its first

ASPECTS = (
    *("plot", "style", "ending", "hero", "language", "humour", "pace", "dialogue"),
    *("cover", "opening", "villain", "setting", "rhythm", "title", "tone", "print"),
)
ABOUT = ("{p} is the {a} .", "{p} , that is the {a} .")  # the phrase first: the words before it say nothing
SAYS = ("the {a} is {p} .", "i found the {a} {p} .", "its {a} was {p} .", "as for the {a} , {p} .")
VERDICTS = ("all in all , {p} .", "in short , {p} .", "my verdict : {p} .")
NEUTRAL = ("it plays in {t} .", "i read it in {t} .", "a friend from {t} lent it to me .", "it is set near {t} .")
OPENINGS = ("the {a} of {t} by {n} .", "{t} , a novel by {n} .")
PHRASES = {  # what is said of one side, in words of its {own} and of the {other}; {owns} and {others} are one or several
    ("{owns}",): 0.54,
    ("not only {own} but {own}",): 0.06,
    ("not {others}", "far from {others}", "anything but {others}"): 0.25,
    ("not {other} but {own}", "less {other} than {own}", "{own} , not {other}"): 0.15,
}
UNWANTED = "dago fagot kike nazi rape"  # what four or five random letters can also spell
ONSETS, VOWELS, CODAS = "bdfgklmnprstvz", "aeiou", "klmnrst"


@dataclass(frozen=True)
class Review:
    """One review.

    Attributes:
        text: pieces separated by blanks; ``▁`` begins a word, punctuation has none.
        label: 1 in favour, 0 against.
        nats: -ln of the probability of all draws that made it, an upper bound of its information content.
    """

    text: str
    label: int
    nats: float


@dataclass(frozen=True)
class Corpus:
    """Reviews by split (train, dev, test, unlabelled) and the words of the generator."""

    train: list[Review]
    dev: list[Review]
    test: list[Review]
    unlabelled: list[Review]
    words: Words

    def write(self, folder: str | Path, hidden: str | Path | None = None) -> None:
        """Write the files students get to ``folder``, and what judges the test to ``hidden`` alone.

        ``<split>.review.spm`` holds one review per line, ``<split>.label`` 0 or 1 per line, ``dict.txt`` a piece and its
        frequency in all files per line. Raises CourseError for a folder that cannot be made or written to.
        """
        folder = ensure_dir(folder)
        splits = {"train": self.train, "dev": self.dev, "test": self.test, "unlabelled": self.unlabelled}
        files = {f"{name}.review.spm": _lines(r.text for r in rows) for name, rows in splits.items()}
        files |= {f"{name}.label": _lines(str(r.label) for r in splits[name]) for name in ("train", "dev")}
        files["dict.txt"] = self._dictionary()
        for name, text in files.items():
            write_atomically(folder / name, text)
        write_atomically(folder / "manifest.json", manifest(folder, sorted(files), self.describe()))
        if hidden is not None:
            self._write_hidden(ensure_dir(hidden), folder)

    def _write_hidden(self, hidden: Path, folder: Path) -> None:
        """What a grader needs to judge a classifier of these reviews: test texts, labels, and the vocabulary in order."""
        pieces = read_pieces(folder, [r.text for r in (*self.train, *self.unlabelled)])
        write_atomically(hidden / "test.label", _lines(str(r.label) for r in self.test))
        write_atomically(hidden / "test.review.spm", _lines(r.text for r in self.test))
        write_atomically(hidden / "pieces.txt", _lines(pieces))

    def _dictionary(self) -> str:
        """All pieces of the generator, the most frequent first."""
        counts = Counter(piece for r in (*self.train, *self.dev, *self.unlabelled) for piece in r.text.split())
        return _lines(f"{piece} {n}" for piece, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @property
    def entropy(self) -> float:
        """Nats per predicted token (pieces and one end): what no honest language model can fall below by more than a little.

        The mean of the draws' information over the reviews without label. It counts a draw that the text does not show
        (whether a verdict at the end was put there or came there by shuffling), so it is slightly above the entropy.
        """
        return sum(r.nats for r in self.unlabelled) / sum(len(r.text.split()) + 1 for r in self.unlabelled)

    def describe(self) -> str:
        """One sentence on the sizes, with the entropy in nats per token, which notebook 05 compares its loss with."""
        sizes = f"{len(self.train)} labelled, {len(self.dev)} dev, {len(self.test)} test"
        return f"Fictional book reviews: {sizes}, {len(self.unlabelled)} unlabelled; {self.entropy:.3f} nats per token."


class Dice:
    """Draws from one seeded stream that keep account of their information in nats.

    Only ``Random.random`` is used, whose sequence for a seed Python promises to keep.
    """

    def __init__(self, *key: object) -> None:
        digest = sha256("\x1f".join(map(str, key)).encode()).digest()
        self._next = random.Random(int.from_bytes(digest[:8], "big")).random
        self.nats = 0.0

    def index(self, n: int) -> int:
        """A number from 0 to n-1."""
        self.nats += math.log(n)
        return int(self._next() * n)

    def chance(self, p: float) -> bool:
        """True with probability p."""
        came = self._next() < p
        self.nats -= math.log(p if came else 1 - p)
        return came

    def weighted(self, running: Sequence[float]) -> int:
        """An index whose weight is the step of ``running``, running sums that end at 1."""
        k = min(bisect(running, self._next()), len(running) - 1)
        self.nats -= math.log(running[k] - (running[k - 1] if k else 0.0))
        return k

    def shuffled(self, items: Sequence[str]) -> list[str]:
        """The items in a random order (Fisher and Yates)."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.index(i + 1)
            out[i], out[j] = out[j], out[i]
        return out


@dataclass(frozen=True)
class Words:
    """The invented words of one world: adjectives of both sides, the most frequent first, and names."""

    against: tuple[str, ...]
    in_favour: tuple[str, ...]
    authors: tuple[str, ...]
    places: tuple[str, ...]

    @classmethod
    def draw(cls, seed: int | str) -> Words:
        """All different. The side of a word does not follow from its letters."""
        dice, taken = Dice(seed, "words"), set(_fixed_words())
        new = [_new_word(dice, taken) for _ in range(2 * N_ADJECTIVES + N_AUTHORS + N_PLACES)]
        a, b = N_ADJECTIVES, 2 * N_ADJECTIVES
        return cls(tuple(new[:a]), tuple(new[a:b]), tuple(new[b : b + N_AUTHORS]), tuple(new[b + N_AUTHORS :]))


def _fixed_words() -> set[str]:
    """The words that every world has, and those that none shall have."""
    phrases = (pattern for patterns in PHRASES for pattern in patterns)
    patterns = (*ABOUT, *SAYS, *VERDICTS, *NEUTRAL, *OPENINGS, *ASPECTS, *phrases, "and or", UNWANTED)
    return {word for pattern in patterns for word in pattern.split()}


def _new_word(dice: Dice, taken: set[str]) -> str:
    """An invented word of four or five letters that nobody has yet."""
    while True:
        word = "".join(options[dice.index(len(options))] for options in (ONSETS, VOWELS, ONSETS, VOWELS))
        word += CODAS[dice.index(len(CODAS))] if dice.chance(0.5) else ""
        if word not in taken:
            taken.add(word)
            return word


def _running_sums(weights: Iterable[float]) -> list[float]:
    weights = list(weights)
    return list(accumulate(weight / sum(weights) for weight in weights))


_ADJECTIVES = _running_sums((k + 1) ** -ZIPF for k in range(N_ADJECTIVES))
_KINDS = _running_sums(PHRASES.values())
_OWN, _OTHER = (0.25, 0.65, 1.0), (0.5, 1.0)  # up to three adjectives, up to two


def _phrase(dice: Dice, words: Words, side: int) -> str:
    """What is said: adjectives of the side, adjectives of the other one turned round, or both."""
    patterns = list(PHRASES)[dice.weighted(_KINDS)]
    own, other = (words.in_favour, words.against) if side else (words.against, words.in_favour)
    return _filled(
        patterns[dice.index(len(patterns))],
        {
            "{own}": lambda: _adjective(dice, own),
            "{other}": lambda: _adjective(dice, other),
            "{owns}": lambda: _list(dice, own, _OWN, "and"),
            "{others}": lambda: _list(dice, other, _OTHER, "or"),
        },
    )


def _adjective(dice: Dice, words: Sequence[str]) -> str:
    return words[dice.weighted(_ADJECTIVES)]


def _list(dice: Dice, words: Sequence[str], numbers: Sequence[float], link: str) -> str:
    """Adjectives with commas and a link before the last; ``numbers`` are running sums over how many."""
    said = [_adjective(dice, words) for _ in range(dice.weighted(numbers) + 1)]
    return said[0] if len(said) == 1 else f"{' , '.join(said[:-1])} {link} {said[-1]}"


def _filled(pattern: str, holes: Mapping[str, Callable[[], str]]) -> str:
    """The pattern, each hole filled by a call."""
    return " ".join(holes[token]() if token in holes else token for token in pattern.split())


def _sentence(dice: Dice, words: Words, patterns: Sequence[str], side: int) -> str:
    """One of the patterns, its holes filled: {p} phrase, {a} aspect, {t} place, {n} author."""
    return _filled(
        patterns[dice.index(len(patterns))],
        {
            "{p}": lambda: _phrase(dice, words, side),
            "{a}": lambda: ASPECTS[dice.index(len(ASPECTS))],
            "{t}": lambda: words.places[dice.index(N_PLACES)],
            "{n}": lambda: words.authors[dice.index(N_AUTHORS)],
        },
    )


def write_review(dice: Dice, words: Words, label: int) -> Review:
    """One review: perhaps an opening, two to four sentences on aspects (one of them of the other side in 15 % of the
    reviews), perhaps a neutral one, and a verdict, always of the review's own side, last in half of them."""
    sides = [label] * (2 + dice.index(3))
    if dice.chance(0.15):
        sides[0] = 1 - label  # the sentences are shuffled below
    body = [_sentence(dice, words, ABOUT if dice.chance(0.35) else SAYS, side) for side in sides]
    if dice.chance(0.5):
        body.append(_sentence(dice, words, NEUTRAL, label))
    verdict = _sentence(dice, words, VERDICTS, label)
    body = [*dice.shuffled(body), verdict] if dice.chance(0.5) else dice.shuffled([*body, verdict])
    dice.nats -= math.log(math.factorial(sides.count(label)))  # no reader can see in which order equals were shuffled
    if dice.chance(0.30):
        body.insert(0, _sentence(dice, words, OPENINGS, label))
    pieces = (word if word in ".,:" else MARK + word for word in " ".join(body).split())
    return Review(" ".join(pieces), label, dice.nats)


def generate(
    seed: int | str, *, n_train: int = 40, n_dev: int = 400, n_test: int = 400, n_unlabelled: int = 6000
) -> Corpus:
    """A corpus. Equal arguments give equal bytes; half of each split is in favour (within one).

    Args:
        seed: anything; what must stay secret needs a long one, since a short one can be found by trying.

    Raises:
        CourseError: a number out of range.
    """
    sizes = {"train": n_train, "dev": n_dev, "test": n_test, "unlabelled": n_unlabelled}
    for name, n in sizes.items():
        if not 1 <= n <= 1_000_000:
            raise CourseError(f"n_{name} must lie between 1 and 1,000,000; got {n}.")
    words = Words.draw(seed)
    splits = {name: _split(seed, name, n, words) for name, n in sizes.items()}
    return Corpus(**splits, words=words)


def _split(seed: int | str, name: str, n: int, words: Words) -> list[Review]:
    """``n`` reviews, half of them in favour (for odd n, one more against), in a random order."""
    labels = [int(label) for label in Dice(seed, name, "labels").shuffled("01" * (n // 2) + "0" * (n % 2))]
    reviews = []
    for i, label in enumerate(labels):
        dice = Dice(seed, name, i)
        dice.nats = math.log(2)  # the label's
        reviews.append(write_review(dice, words, label))
    return reviews


# ------------------------------------------------------------------------------------------------------------- files


def read_reviews(folder: str | Path, split: str) -> list[str]:
    """The reviews of ``<split>.review.spm``: lines of pieces separated by blanks, UTF-8.

    Raises:
        CourseError: a missing file, or an empty line.
    """
    path = Path(folder) / f"{split}.review.spm"
    lines = _read(path)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            raise CourseError(f"{path}, line {number}: empty; there must be one review per line.")
    return lines


def read_labels(folder: str | Path, split: str) -> list[int]:
    """The labels of ``<split>.label``, 0 or 1 per line, as many as there are reviews.

    Raises:
        CourseError: a missing file, a line that is neither 0 nor 1, or another number of lines than reviews.
    """
    path = Path(folder) / f"{split}.label"
    lines = _read(path)
    for number, line in enumerate(lines, 1):
        if line.strip() not in ("0", "1"):
            raise CourseError(f"{path}, line {number}: {line[:40]!r} is not a label; write 0 or 1.")
    n = len(_read(path.with_suffix(".review.spm")))
    if len(lines) != n:
        raise CourseError(f"{path} has {len(lines)} labels for {n} reviews; there must be one per review.")
    return [int(line) for line in lines]


def read_pieces(folder: str | Path, texts: Iterable[str], most: int = 3000) -> list[str]:
    """Up to ``most`` pieces of ``dict.txt`` that occur in ``texts``, the most frequent first (ties in the file's order).

    Raises:
        CourseError: no ``dict.txt``, a line that is not ``piece number``, or a dictionary none of whose pieces occurs.
    """
    path = Path(folder) / "dict.txt"
    known: dict[str, None] = {}
    for number, line in enumerate(_read(path), 1):
        piece, _, count = line.rpartition(" ")
        if not piece or not count.isdigit():
            raise CourseError(f"{path}, line {number}: {line[:40]!r} is not a piece and a number separated by a blank.")
        known[piece] = None
    counts = Counter(piece for text in texts for piece in text.split())
    found = sorted((piece for piece in known if counts[piece]), key=lambda piece: -counts[piece])
    if not found:
        raise CourseError(f"{path} lists none of the pieces of the reviews; the files do not belong together.")
    return found[:most]


def _read(path: Path) -> list[str]:
    """Lines of a UTF-8 file without line ends. Only line feeds end a line: texts may hold other separators."""
    try:
        return path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
    except OSError as error:
        raise CourseError(f"{path} cannot be read ({error.strerror}); give the folder with the reviews.") from None
    except UnicodeDecodeError as error:
        raise CourseError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None


def _lines(rows: Iterable[str]) -> str:
    return "".join(row + "\n" for row in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; exit code 0, or 2 for bad input."""
    return command_line("reviews", "book reviews", generate, arguments)


if __name__ == "__main__":
    sys.exit(main())
