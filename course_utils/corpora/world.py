"""A world: fictional people, the towns where they were born, and a wiki that states these facts in different sentences.

Every draw is a SHA-256 hash of the seed and of what is drawn ("surname of person 7"), so a world is byte-identical on
every platform and Python version, and changing one option leaves all other draws unchanged.

    python -m course_utils.corpora.world --seed 1 --out data/world
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count, islice
from pathlib import Path
from typing import Literal, TypeVar

from course_utils.corpora.manifest import command_line, ensure_dir, manifest
from course_utils.data import Question
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

T = TypeVar("T")
Split = Literal["train", "dev", "test", "never"]

# The name comes before the town: a causal model can then learn to continue a name with a town. In four sentences a few
# words come before the name, as they do in a question: with the name always in the first place, a model that chose the
# right town in 98 % of the sentences gave it in 90 % of the answers; with these, in 98 % (two worlds). Two sentences state
# the occupation too; with four, the towns seemed to be learned less well (one run each).
NAME_FIRST = (
    "{name} was born in {town}.",
    "{name} is from {town}.",
    "Meet {name}, born in {town}.",
    "This is {name} from {town}.",
    "{name} comes from {town}.",
    "{name} ({town}).",
    "We know {name} of {town}.",
    "{name}, a {town} {job}.",
    "It was {name} of {town}, {job}.",
    "{name}: home town {town}.",
)
TOWN_FIRST = ("Who is from {town}? {name}.", "{town}: home of {name}.")
PATTERNS = NAME_FIRST + TOWN_FIRST

# Every capital letter that can begin a surname or a town also begins a first name, and all first names are used. So worlds
# of 300 people all have the same characters (a "j" is missing once in ten million). Smaller worlds, or worlds with fewer
# patterns, may lack some: take the vocabulary from ALPHABET there.
FIRST_NAMES = (
    *("Ada", "Alma", "Bela", "Bruno", "Dora", "Dario", "Edda", "Emil", "Fina", "Falk", "Greta", "Ida", "Ivo"),
    *("Kira", "Karl", "Lena", "Leo", "Mara", "Milo", "Nora", "Nils", "Olga", "Otto", "Rita", "Remo", "Sara"),
    *("Sven", "Tina", "Vera", "Vito"),
)
JOBS = (
    *("baker", "cook", "dancer", "farmer", "judge", "mayor", "miner", "nurse"),
    *("painter", "pilot", "poet", "potter", "sailor", "singer", "smith", "tailor"),
)
INITIALS = "BDFGKLMNRSTV"
CLUSTERS = (
    *("lb", "ld", "lg", "lk", "lm", "lt", "lv", "nd", "nk", "nt", "rb"),
    *("rd", "rg", "rk", "rl", "rm", "rn", "rv", "sk", "sl", "sm", "sn"),
)
ENDINGS = tuple(vowel + c for vowel in "aeiou" for c in "klmnrs")
REAL_TOWNS = ("Bali", "Dalat", "Dali", "Lima", "Lodi", "Mali", "Milan", "Roma", "Turin", "Tula")

ALPHABET = "\n (),.:?ABDEFGIKLMNORSTVWabcdefghijklmnoprstuvwy"
"""The characters of every world's wiki and questions. ``Vocabulary.from_text(ALPHABET)`` fits all worlds."""

SPLIT_CYCLE: tuple[Split, ...] = ("train", "test", "train", "test", "train", "dev")
N_TOWNS = 24


@dataclass(frozen=True)
class Person:
    """One person of a world; ``town`` is None for those who are in no document."""

    name: str
    town: str | None
    occupation: str
    split: Split

    @property
    def question(self) -> Question:
        """The question for the birth town, with its answer if there is one."""
        return Question(f"Where was {self.name} born?", self.town)


@dataclass(frozen=True)
class World:
    """People and the documents about them.

    Attributes:
        people: all people; those who are in no document come last.
        wiki: documents without line ends, shuffled.
    """

    people: tuple[Person, ...]
    wiki: list[str]

    def questions(self, split: Split) -> list[Question]:
        """The questions of one split, in the order of its people."""
        return [person.question for person in self.people if person.split == split]

    @property
    def train(self) -> list[Question]:
        """Questions to finetune on."""
        return self.questions("train")

    @property
    def dev(self) -> list[Question]:
        """Questions about other people ("dev people", for development), to choose settings with."""
        return self.questions("dev")

    @property
    def test(self) -> list[Question]:
        """Questions about a third group of people, with the answers that the student's files do not have."""
        return self.questions("test")

    @property
    def never(self) -> list[Question]:
        """Questions about people who are in no document, so that no answer can be known."""
        return self.questions("never")

    def write(self, folder: str | Path, hidden: str | Path | None = None) -> None:
        """Write the student's files and a manifest to ``folder``, and the test answers only to ``hidden``.

        The manifest does not name the seed, from which the answers could be generated.

        Raises:
            CourseError: a folder that cannot be made or written to.
        """
        folder = ensure_dir(folder)
        files = {
            "wiki.txt": _text(self.wiki),
            "birth_places_train.tsv": _tsv(self.train),
            "birth_dev.tsv": _tsv(self.dev),
            "birth_test_inputs.tsv": _text(q.text for q in self.test),
            "never_seen_inputs.tsv": _text(q.text for q in self.never),
        }
        for name, text in files.items():
            write_atomically(folder / name, text)
        write_atomically(folder / "manifest.json", manifest(folder, list(files), self.describe()))
        if hidden is not None:
            write_atomically(ensure_dir(hidden) / "birth_test.tsv", _tsv(self.test))

    def describe(self) -> str:
        """One sentence about the size of the world."""
        sizes = f"{len(self.train)} train, {len(self.dev)} dev and {len(self.test)} test people"
        return f"A fictional world: {sizes}, {len(self.never)} never seen, {len(self.wiki)} documents."


def generate(
    seed: int | str,
    *,
    n_people: int = 300,
    n_never: int = 50,
    documents_per_person: int = 4,
    patterns: int | Sequence[str] = PATTERNS,
    phrasings: int | None = None,
) -> World:
    """Generate a world. Equal arguments give equal bytes; changing an option leaves the other draws unchanged.

    Half of the people are train, a third test, a sixth dev; no two have the same surname. One of 24 towns, the capital,
    is a little more frequent than the others (about 5 %).

    Args:
        seed: any number or text; secret answers need a long one, since a short one can be found by trying all.
        n_people: people with documents; a smaller number gives the first of the same people.
        n_never: people without documents.
        documents_per_person: number of documents that state a person's birth town.
        patterns: the sentences that may be used, with ``{name}`` and ``{town}``, perhaps ``{job}``; a number n takes the
            first n of PATTERNS (in the first 10 the name comes before the town).
        phrasings: the largest number of different sentences for one person; None for as many as there are documents or
            patterns. Further documents repeat them.

    Raises:
        CourseError: a number out of range, or a pattern without name or town.
    """
    pool = _pool(patterns)
    _check_range("n_people", n_people, 2000)
    _check_range("n_never", n_never, 300, least=0)
    _check_range("documents_per_person", documents_per_person, 1000)
    _check_range("phrasings", 1 if phrasings is None else phrasings, len(pool))
    people = _people(seed, n_people, n_never)
    keyed = [
        (_hash(seed, "line", person.name, j), pattern.format(name=person.name, town=person.town, job=person.occupation))
        for person in people
        if person.town is not None
        for j, pattern in enumerate(_chosen(seed, person.name, pool, documents_per_person, phrasings))
    ]
    return World(tuple(people), [line for _, line in sorted(keyed)])


# -------------------------------------------------------------------------------------------------- people and towns


def _people(seed: int | str, n: int, n_never: int) -> list[Person]:
    """``n`` people with a town, then ``n_never`` without."""
    surnames = list(islice(_surnames(seed, absent=False), n))
    absent = list(islice(_surnames(seed, absent=True), n_never))
    names = [f"{a} {b}" for a, b in zip(_dealt(seed, "first", FIRST_NAMES, n), surnames, strict=True)]
    nobodies = [f"{a} {b}" for a, b in zip(_dealt(seed, "never first", FIRST_NAMES, n_never), absent, strict=True)]
    jobs, names_of_towns = _dealt(seed, "job", JOBS, n + n_never), towns(seed)
    births = {split: _births(seed, split, names_of_towns) for split in SPLIT_CYCLE}
    people: list[Person] = []
    for i, name in enumerate(names):
        split = SPLIT_CYCLE[i % len(SPLIT_CYCLE)]
        people.append(Person(name, next(births[split]), jobs[i], split))
    return people + [Person(name, None, job, "never") for name, job in zip(nobodies, jobs[n:], strict=True)]


def towns(seed: int | str) -> list[str]:
    """24 towns of two syllables, 4 or 5 letters; two for each initial, with different vowels. The first is the capital.

    The beginnings differ, because a model that has seen a fact only a few times confuses towns with equal beginnings.
    """
    found: dict[str, str] = {}
    for i in count():
        key = (seed, "town", i)
        start = _pick(INITIALS, *key, "a") + _pick("aeiou", *key, "b")
        town = start + _pick("lmnrtvd", *key, "c") + _pick("aiou", *key, "d") + _pick(("", "n", "r", "l"), *key, "e")
        if town not in FIRST_NAMES + REAL_TOWNS and sum(other[0] == town[0] for other in found) < 2:
            found.setdefault(start, town)
        if len(found) == N_TOWNS:
            break
    return list(found.values())


def _births(seed: int | str, split: Split, names: Sequence[str]) -> Iterator[str]:
    """Birth towns of a split, without end: all towns in random order, again and again, every third time the capital twice.

    Independent draws would sometimes make a town twice as frequent as it should be.
    """
    for i in count():
        cards = [*names, names[0]] if i % 3 == 2 else names
        yield from _shuffled(seed, ("births", split, i), cards)


def _surnames(seed: int | str, *, absent: bool) -> Iterator[str]:
    """Different surnames of six letters; an eighth of all is reserved for those who are ``absent`` from the wiki.

    The others differ in two letters at least: a model of this size confuses people whose names differ in one.
    """
    taken: set[str] = set()
    for i in count():
        key = (seed, "surname", absent, i)
        name = _pick(INITIALS, *key, "a") + _pick("aeio", *key, "b") + _pick(CLUSTERS, *key, "c")
        name += _pick(ENDINGS, *key, "d")
        near = {name} if absent else {name[:j] + "*" + name[j + 1 :] for j in range(len(name))}
        if taken.isdisjoint(near) and (_hash(seed, "set aside", name) % 8 == 0) == absent:
            taken |= near
            yield name


# -------------------------------------------------------------------------------------------------------- sentences


def _pool(patterns: int | Sequence[str]) -> tuple[str, ...]:
    """The sentence patterns that may be used."""
    if isinstance(patterns, int):
        _check_range("patterns", patterns, len(PATTERNS))
        return PATTERNS[:patterns]
    if isinstance(patterns, str):
        raise CourseError(f"patterns is a list of sentences or a number, not one text; write [{patterns!r}].")
    for pattern in patterns:
        _check_pattern(pattern)
    if not patterns:
        raise CourseError("At least one sentence pattern is needed; leave patterns out for the usual 12.")
    return tuple(dict.fromkeys(patterns))


def _check_pattern(pattern: str) -> None:
    """Raise CourseError unless the pattern is one line with the person's name and the town."""
    try:
        pattern.format(name="", town="", job="")
        sound = "{name}" in pattern and "{town}" in pattern and "\n" not in pattern
    except (KeyError, IndexError, ValueError):
        sound = False
    if not sound:
        raise CourseError(f"A pattern is one line with {{name}}, {{town}} and perhaps {{job}}, unlike {pattern!r}.")


def _chosen(seed: int | str, name: str, pool: Sequence[str], documents: int, phrasings: int | None) -> list[str]:
    """The patterns of one person's documents: different ones first, then the same again in order."""
    order = sorted(pool, key=lambda pattern: _hash(seed, "pattern", name, pattern))[:phrasings]
    return [order[j % len(order)] for j in range(documents)]


# ----------------------------------------------------------------------------------------------------------- draws


def _hash(seed: int | str, *key: object) -> int:
    """64 bits from the seed and the key of the draw; as a JSON list, so that different keys never give one text."""
    return int.from_bytes(sha256(json.dumps([str(seed), *map(str, key)]).encode()).digest()[:8], "big")


def _pick(options: Sequence[T], seed: int | str, *key: object) -> T:
    """One of ``options``; the bias of the remainder is below 1e-17."""
    return options[_hash(seed, *key) % len(options)]


def _shuffled(seed: int | str, key: tuple[object, ...], cards: Sequence[T]) -> list[T]:
    """The cards in a random order."""
    order = sorted(range(len(cards)), key=lambda i: _hash(seed, *key, i))
    return [cards[i] for i in order]


def _dealt(seed: int | str, key: str, cards: Sequence[T], n: int) -> list[T]:
    """``n`` cards from a deck that is shuffled again whenever it is empty: the cards' counts differ by one at most."""
    rounds = (_shuffled(seed, (key, i), cards) for i in count())
    return list(islice((card for cards in rounds for card in cards), n))


def _check_range(what: str, value: int, most: int, least: int = 1) -> None:
    if not least <= value <= most:
        raise CourseError(f"{what} must lie between {least} and {most}; got {value}.")


# ----------------------------------------------------------------------------------------------------------- files


def _text(lines: Iterable[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _tsv(questions: Sequence[Question]) -> str:
    return _text(f"{q.text}\t{q.answer}" for q in questions)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; exit code 0, or 2 for bad input."""
    return command_line("world", "a fictional world", generate, arguments)


if __name__ == "__main__":
    sys.exit(main())
